/**
 * `npm run house [-- --json] [--names] [--executed]`: how many files one opens to answer a question, in figures, with
 * their goals. `--names` lists what is above its goal; `--executed` also runs an iteration and counts the files that it
 * executes. How each figure is counted: docs/house.md.
 */
import { parseArgs } from 'node:util';
import { measure } from './house/measures.ts';
import { root } from './root.ts';

function readFlags() {
  try {
    return parseArgs({
      options: { json: { type: 'boolean' }, names: { type: 'boolean' }, executed: { type: 'boolean' } },
    }).values;
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : error}\nusage: npm run house -- [--json] [--names] [--executed]`,
    );
    process.exit(2);
  }
}

const values = readFlags();
const ran = values.executed ? await (await import('./house/executed.ts')).executed() : [];
const measures = [...measure(root), ...ran];
if (values.json) console.log(JSON.stringify(measures, null, 2));
else {
  const shown = (count: number | null) => (count?.toLocaleString('en') ?? '–').padStart(9);
  console.log(`  ${'measure'.padEnd(48)}${'today'.padStart(9)}${'goal ≤'.padStart(9)}`);
  for (const { name, value, goal, what } of measures) {
    const isAbove = goal !== null && value > goal;
    console.log(`${isAbove ? '✗' : '✓'} ${name.padEnd(48)}${shown(value)}${shown(goal)}`);
    if (values.names && isAbove) for (const one of what ?? []) console.log(`      ${one}`);
  }
}
