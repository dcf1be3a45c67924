/**
 * `npm test [-- SUITE… [FILTER…]] [--tally FILE]`: builds, runs the suites, and prints one closing line over all.
 * With `--tally` the counts go to a file as JSON instead, for a caller that adds its own.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { bundle } from './build/bundle.ts';
import { isStale } from './build/freshness.ts';
import { runSuite, SUITES, type SuiteName } from './suites/run-suite.ts';
import { add, closingLine, nothing, type Tally } from './suites/tally.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { tally: { type: 'string' } } });
const isSuite = (word: string): word is SuiteName => (SUITES as readonly string[]).includes(word);
const named = positionals.filter(isSuite);
const filters = positionals.filter((word) => !isSuite(word));

if (await isStale()) await bundle();

let tally: Tally = nothing;
for (const suite of named.length > 0 ? named : SUITES) {
  tally = add(tally, await runSuite(suite, { filters }));
}

if (values.tally === undefined) {
  for (const fault of tally.faults) console.error(`✗ ${fault}`);
  console.log(closingLine(tally));
} else await writeFile(values.tally, JSON.stringify(tally));
process.exitCode = tally.failed > 0 ? 1 : 0;
