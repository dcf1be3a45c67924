/**
 * `npm run bench [-- NAME…] [--json FILE] [--against FILE]`: runs the named benchmarks of bench/, or all of them, one
 * after the other; at the end one table of all rows with their targets. `--json` keeps it with the machine noted,
 * `--against` compares with such a file.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, thisMachine } from '../bench/support/machine.ts';
import { compare, type Results, table } from '../bench/support/results.ts';
import { ROWS_FILE } from '../bench/support/statistics.ts';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';

const known = (await readdir(join(root, 'bench')))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, against: { type: 'string' } },
});
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}. There are: ${known.join(', ')}`);
  process.exit(2);
}
// Read before hours of measuring, so that a wrong name is told at once.
const then: Results | null = values.against === undefined ? null : JSON.parse(await readFile(values.against, 'utf8'));

const machine = thisMachine();
const date = new Date().toISOString();
const ran = positionals.length > 0 ? positionals : known;
const failed: string[] = [];
const folder = await mkdtemp(join(tmpdir(), 'ralph-bench-rows-'));
try {
  const file = join(folder, 'rows.jsonl');
  await writeFile(file, '');
  for (const name of ran) {
    console.log(`\n── ${name}`);
    const { exitCode } = await runProgram(process.execPath, ['--import', 'tsx', join(root, 'bench', `${name}.ts`)], {
      cwd: root,
      env: { ...process.env, [ROWS_FILE]: file },
    });
    if (exitCode !== 0) failed.push(name);
  }
  const rows = (await readFile(file, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const results: Results = { version: 1, date, commit: await commit(), machine, ran, failed, rows };
  console.log(`\n── all rows\n${describe(machine)}\n\n${table(results)}`);
  if (then !== null)
    console.log(`\n── against ${values.against} (${describe(then.machine)})\n\n${compare(results, then)}`);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (failed.length > 0) process.exitCode = 1;

/** What is measured: a commit, with `+` when files differ from it; `unknown` outside a clone. */
async function commit(): Promise<string> {
  const git = (...args: readonly string[]) => runProgram('git', args, { cwd: root, capture: true });
  const head = await git('rev-parse', '--short', 'HEAD');
  if (head.exitCode !== 0) return 'unknown';
  const changed = await git('status', '--porcelain');
  return `${head.output.trim()}${changed.output === '' ? '' : '+'}`;
}
