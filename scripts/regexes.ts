/**
 * `npx tsx scripts/regexes.ts [FOLDER…] [--length N] [--over MS]`: looks for texts that make a regular expression of the
 * sources slow: agents and tools write much of what these read.
 */
import { parseArgs } from 'node:util';
import { attack, isSuperlinear } from './regexes/attack.ts';
import { assembled, literals, sourcesIn } from './regexes/find.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { length: { type: 'string', default: '20000' }, over: { type: 'string', default: '40' } },
});
const length = Number(values.length);
const over = Number(values.over);
const files = (await Promise.all((positionals.length > 0 ? positionals : ['src']).map(sourcesIn))).flat();
const pure = files.filter((file) => file.startsWith('src/rules/'));
const all = [...(await assembled(pure)), ...(await literals(files))];
const seen = new Set<string>();
let slow = 0;
for (const { where, regex } of all) {
  if (seen.has(String(regex))) continue;
  seen.add(String(regex));
  const { prefix, pump, tail, ms, length: tried } = attack(regex, length);
  // What is merely long takes twice as long for twice the text; what is tried again and again, four times.
  if (ms < over || !isSuperlinear(regex, [prefix, pump, tail], length)) continue;
  slow += 1;
  console.log(`${where}: ${ms.toFixed(0)} ms for ${tried} characters: ${JSON.stringify([prefix, pump, tail])}`);
  console.log(`    ${String(regex).slice(0, 220)}`);
}
console.log(`${seen.size} regular expressions, ${slow} slower than ${over} ms for ${length} characters`);
