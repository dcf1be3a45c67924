/** How long `ralph demo` takes, from the command to the prompt. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, RALPH } from './support/built.ts';
import { cleanEnvironment, temporaryFolder } from './support/repository.ts';
import { median, report, target } from './support/statistics.ts';

const ROUNDS = 3;

await build();
const home = temporaryFolder();
// The demo leaves its repository in the temp folder for people to look at; here that goes with ours.
mkdirSync(join(home, 'tmp'));
const env = { ...cleanEnvironment(home), TMPDIR: join(home, 'tmp') };

const seconds: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [RALPH, 'demo'], { cwd: home, env, encoding: 'utf8' });
  seconds.push((performance.now() - start) / 1000);
  if (status !== 0) throw new Error(`ralph demo ended with ${status}: ${stderr}`);
}
report('ralph demo', `${median(seconds).toFixed(1)} s`, target('<', 60, 's'));
