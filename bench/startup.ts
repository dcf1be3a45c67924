/**
 * How long it takes to start: bare Node, `ralph --version`, `ralph run --dry-run` in a small project, and
 * `ralph run` up to its first selected story. Rounds are interleaved, so that a busy moment hits all alike.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, RALPH } from './support/built.ts';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, ratio, report } from './support/statistics.ts';

const ROUNDS = 21;

await build();
const home = temporaryFolder();
const project = join(home, 'project');
mkdirSync(project);
makeRepository(project, 20, { 'ralph/tasks.json': backlogText(5), 'ralph/prd.md': '# Wanted\n' });
const env = cleanEnvironment(home);

function timeOf(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: project, env, encoding: 'utf8' });
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return took;
}

/** Milliseconds until a run says which story it works on; the run is then ended. */
async function timeToFirstStory(): Promise<number> {
  const start = performance.now();
  // A program that waits: an agent that never says anything.
  const args = [RALPH, 'run', '--json', '--no-branch', '--once'];
  const child = spawn(process.execPath, args, { cwd: project, env: { ...env, RALPH_AGENT: 'scripted' }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const took = await new Promise<number>((resolve, reject) => {
    let out = '';
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      if (out.includes('"type":"select"')) resolve(performance.now() - start);
    });
    child.once('close', () => reject(new Error(`the run ended before it selected a story: ${said}`)));
  });
  child.kill('SIGINT');
  await ended;
  return took;
}
