/**
 * What a run loses when people watch: the time between two agents of a run alone, and of one with a dashboard beside it
 * and 1,000 connections that ask for its stream (256 are served, the others refused and come back when they are told to). Pairs
 * of runs are interleaved, so that a busy moment hits both. The watchers are on the same machine, at the lowest priority.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseNotes, writeAgent } from './support/agent.ts';
import { build, RALPH } from './support/built.ts';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, ratio, report } from './support/statistics.ts';
import type { Seen } from './support/watchers.ts';

const STORIES = Number(process.env['BENCH_STORIES'] ?? 15);
const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 3);
const WATCHERS = 1_000;
const FILES = 300;

await build();

/** Milliseconds between each agent's end and the next one's start. */
async function gapsOf(watched: boolean): Promise<{ readonly gaps: readonly number[]; readonly seen: Seen }> {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  mkdirSync(project);
  makeRepository(project, FILES, {
    'ralph/tasks.json': backlogText(STORIES),
    'ralph/prd.md': '# Wanted\n',
    'ralph.config.json': JSON.stringify({
      maxAllowedIterations: 100_000,
      calls: 100_000,
      dashboard: { port: 0 },
      agents: { claude: { command: writeAgent(folder, null) } },
    }),
  });
  const args = [RALPH, 'run', String(STORIES * 2 + 5), ...(watched ? ['--dashboard'] : [])];
  const child = spawn(process.execPath, args, {
    cwd: project,
    env: cleanEnvironment(folder),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let seen: Seen = { open: 0, most: 0, refused: 0, bytes: 0 };
  const leave = watched
    ? watch(child, (now) => {
        seen = now;
      })
    : () => {};
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  leave();
  if (code !== 0) throw new Error(`the run ended with ${code}`);
  const notes = parseNotes(readFileSync(join(folder, 'notes'), 'utf8'));
  rmSync(folder, { recursive: true, force: true });
  return { gaps: notes.slice(1).map((note, at) => note.start - (notes[at]?.end ?? note.start)), seen };
}

/** Lets watchers in as soon as the address is known. @returns what ends them */
function watch(child: ChildProcess, onSeen: (seen: Seen) => void): () => void {
  let watchers: ChildProcess | null = null;
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (watchers !== null) return;
    said += text;
    const address = /http:\S+(?=\n)/.exec(said)?.[0];
    if (address === undefined) return;
    watchers = fork(new URL('./support/watchers.ts', import.meta.url), [address, String(WATCHERS)]);
    watchers.on('message', (seen) => onSeen(seen as Seen));
  });
  return () => void watchers?.kill('SIGKILL');
}

const alone: number[] = [];
const watched: number[] = [];
let last: Seen | null = null;
for (let pair = 0; pair < PAIRS; pair += 1) {
  alone.push(...(await gapsOf(false)).gaps);
  const { gaps, seen } = await gapsOf(true);
  watched.push(...gaps);
  last = seen;
}
report('between two agents, no watchers', ms(median(alone)), `${alone.length} iterations`);
report('the same, 1,000 watchers', ms(median(watched)), ratio(median(watched) / median(alone), 1.05));
report('streams open at once', String(last?.most ?? 0), `${last?.refused ?? 0} times refused`);
report('sent to watchers in the last run', `${((last?.bytes ?? 0) / 1e6).toFixed(1)} MB`);
process.exit(0);
