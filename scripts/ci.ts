/**
 * What `.ci/run` does once the dependencies are there: `npm test`, `npm run verify`, then what needs no test run, all of
 * it even when some fails, and one closing line that sums everything.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDocs } from './ci/docs.ts';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';
import { startCount } from './suites/checks.ts';
import { closing } from './suites/closing.ts';
import { nothing, type Tally } from './suites/tally.ts';

const started = Date.now();
const folder = await mkdtemp(join(tmpdir(), 'ralph-ci-'));
const count = startCount();

/** A script that counts for itself. No file: it broke before any suite, and said why above. */
async function counted(script: string): Promise<Tally> {
  console.log(`\n── npm run ${script}`);
  const file = join(folder, `${script}.json`);
  const before = Date.now();
  await runProgram('npm', ['run', '--silent', script, '--', '--tally', file], { cwd: root });
  console.log(`npm run ${script}: ${Math.round((Date.now() - before) / 1000)} s`);
  const broke: Tally = { ...nothing, failed: 1, faults: [`npm run ${script}`] };
  return readFile(file, 'utf8').then(JSON.parse, () => broke);
}

async function succeed(script: string): Promise<void> {
  const { exitCode } = await runProgram('npm', ['run', '--silent', script], { cwd: root });
  if (exitCode !== 0) throw new Error(`npm run ${script} ended with ${exitCode ?? 'a signal'}`);
}

try {
  for (const script of ['test', 'verify']) count.add(await counted(script));
  await Promise.all([
    count.check('lint', () => succeed('lint')),
    count.check('types', () => succeed('types')),
    count.check('dead code', () => succeed('knip')),
    count.check('docs', checkDocs),
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}

console.log(`\n${Math.round((Date.now() - started) / 1000)} s`);
await closing(count.tally(), undefined);
