/**
 * What `.ci/run` does once the dependencies are there: the tests, then each check as one more test, all of them even
 * when some fail, and one closing line that sums everything.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDocs } from './ci/docs.ts';
import { runOnOtherNodes } from './ci/node-matrix.ts';
import { checkPackage } from './ci/package.ts';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';
import { add, closingLine, nothing, type Tally } from './suites/tally.ts';

const started = Date.now();
const folder = await mkdtemp(join(tmpdir(), 'ralph-ci-'));
let tally: Tally = nothing;

/** One check counts as one test: it passes unless it throws. */
async function check(title: string, body: () => Promise<void>): Promise<void> {
  console.log(`\n── ${title}`);
  try {
    await body();
    console.log(`✓ ${title}`);
    tally = add(tally, { ...nothing, passed: 1 });
  } catch (error) {
    const fault = `${title}: ${error instanceof Error ? error.message : error}`;
    console.log(`✗ ${fault}`);
    tally = add(tally, { ...nothing, failed: 1, faults: [fault] });
  }
}

async function succeed(file: string, ...args: readonly string[]): Promise<void> {
  const { exitCode } = await runProgram(file, args, { cwd: root });
  if (exitCode !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${exitCode ?? 'a signal'}`);
}

try {
  console.log('── npm test');
  const counts = join(folder, 'tally.json');
  await runProgram('npm', ['test', '--silent', '--', '--tally', counts], { cwd: root });
  // No file: `npm test` broke before any suite, and said why above.
  tally = add(
    tally,
    await readFile(counts, 'utf8').then(JSON.parse, () => ({ ...nothing, failed: 1, faults: ['npm test'] })),
  );

  await check('lint', () => succeed('npm', 'run', '--silent', 'lint'));
  await check('types', () => succeed('npm', 'run', '--silent', 'types'));
  await check('dead code', () => succeed('npm', 'run', '--silent', 'knip'));
  await check('docs', checkDocs);
  await checkPackage(folder, check);
  tally = add(tally, await runOnOtherNodes(folder, check));
} finally {
  await rm(folder, { recursive: true, force: true });
}

console.log(`\n${Math.round((Date.now() - started) / 1000)} s`);
for (const fault of tally.faults) console.log(`✗ ${fault}`);
console.log(closingLine(tally));
process.exitCode = tally.failed > 0 ? 1 : 0;
