/**
 * What a turn of a stream costs besides its agent, with 1, 10 and 50 streams in one process: from the end of an agent to
 * the start of the next one, whichever stream it works for. One turn at a time, without checks, hooks and isolation.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, RALPH } from './support/built.ts';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, quantile, ratio, report } from './support/statistics.ts';

const FILES = 300;
/** Turns of all streams together, about as many each time. */
const TURNS = Number(process.env['BENCH_TURNS'] ?? 100);

const SCENARIO = `version: 1
steps:
  - do:
      - run: 'echo "{{STORY_ID}}" >> work.txt'
      - status: { STATUS: COMPLETE, EXIT_SIGNAL: true }
`;

await build();
const one = measure(1, Math.max(2, TURNS));
for (const streams of [10, 50]) {
  const overhead = measure(streams, Math.max(2, Math.round(TURNS / streams)));
  // Linear altogether is the same for each turn.
  report(`${streams} streams by 1, overhead per turn`, ms(overhead), ratio(overhead / one, 1.5));
}

/** @returns milliseconds of a turn besides its agent, the median */
function measure(streams: number, stories: number): number {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  const scenario = join(folder, 'scenario.yaml');
  mkdirSync(project);
  const backlogs = Array.from({ length: streams }, (_, i) => {
    const { branchName: _branch, ...backlog } = JSON.parse(backlogText(stories));
    return [`.ralph/PRD-${i + 1}/tasks.json`, JSON.stringify(backlog)];
  });
  makeRepository(project, FILES, {
    ...Object.fromEntries(backlogs),
    'ralph.config.json': JSON.stringify({ maxAllowedIterations: 100_000, calls: 100_000, skipReview: true }),
  });
  writeFileSync(scenario, SCENARIO);
  const env = { ...cleanEnvironment(folder), RALPH_ISOLATION_BACKEND: 'none' };
  const args = ['stream', 'start', '--json', '--parallel', '1', '-n', String(stories + 5), '--scenario', scenario];
  const { status, stdout, stderr } = spawnSync(process.execPath, [RALPH, ...args], {
    cwd: project,
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`the streams ended with ${status}: ${stderr}${stdout.slice(-2000)}`);
  const gaps = gapsIn(stdout);
  const fifth = Math.max(1, Math.floor(gaps.length / 5));
  const name = `${streams} ${streams === 1 ? 'stream' : 'streams'}, overhead per turn`;
  report(name, ms(median(gaps)), `fastest tenth ${ms(quantile(gaps, 0.1))}, ${gaps.length} turns`);
  report(`  ${streams}: first against last fifth`, ms(median(gaps.slice(0, fifth))), ms(median(gaps.slice(-fifth))));
  return median(gaps);
}

/** Milliseconds from the end of an agent to the next start; without turns that begin a run, which does more. */
function gapsIn(stdout: string): readonly number[] {
  const gaps: number[] = [];
  let endedAt: number | null = null;
  for (const line of stdout.trim().split('\n')) {
    const { type, ts } = JSON.parse(line);
    const at = new Date(ts).getTime();
    if (type === 'run-start') endedAt = null;
    if (type === 'agent-start' && endedAt !== null) gaps.push(at - endedAt);
    if (type === 'agent-end') endedAt = at;
  }
  return gaps;
}
