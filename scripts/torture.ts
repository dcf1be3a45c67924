/**
 * `npm run torture [-- --minutes N | --runs N] [--seed S] [--only KIND…] [--jobs N] [--sweep] [--replay FILE] [--list]`: plays
 * random cases with the built program until time or runs are up; ends with 1 when an invariant did not hold
 * (docs/testing.md).
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { AGENT_FAULT_NAMES } from '../test/support/torture/agent-faults.ts';
import { runCampaign } from '../test/support/torture/campaign.ts';
import type { FaultKind, TortureCase } from '../test/support/torture/case.ts';
import { crashPointsInSource, PASSAGES } from '../test/support/torture/crash-points.ts';
import { DAMAGES } from '../test/support/torture/damage.ts';
import { APART, caseOf, FAULT_KINDS, MOUNTING } from '../test/support/torture/generate.ts';
import { canMount } from '../test/support/torture/mounts.ts';
import { loadCase } from '../test/support/torture/save.ts';
import { SHAPE_NAMES } from '../test/support/torture/shapes.ts';
import { STATE_FILE_NAMES } from '../test/support/torture/state-files.ts';
import { sweep } from '../test/support/torture/sweep.ts';
import { bundle } from './build/bundle.ts';
import { isStale } from './build/freshness.ts';
import { runProgram } from './run-program.ts';

const ALL = [...FAULT_KINDS, ...APART];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '1' },
    'shrink-seconds': { type: 'string', default: '60' },
    replay: { type: 'string' },
    sweep: { type: 'boolean' },
    list: { type: 'boolean' },
  },
});

if (values.list) {
  console.log(`kinds (--only): ${ALL.join(', ')}`);
  console.log(`crash points of a run: ${Object.keys(PASSAGES).join(', ')}`);
  const elsewhere = (await crashPointsInSource()).filter((name) => !(name in PASSAGES));
  console.log(`crash points tried by tests of their own: ${elsewhere.join(', ')}`);
  console.log(`an agent that\n  ${AGENT_FAULT_NAMES.join('\n  ')}`);
  console.log(`state files: ${STATE_FILE_NAMES.join(', ')}`);
  console.log(`damages: ${DAMAGES.join(', ')}`);
  console.log(`repositories: ${SHAPE_NAMES.join(', ')}`);
  process.exit(0);
}

// Full disks and read-only folders are mounts: in a namespace of our own they end with us, in any case.
if (process.env['RALPH_TORTURE_MOUNTS'] === undefined) {
  if (await isStale()) await bundle();
  const unshare = process.getuid?.() === 0 ? ['-m'] : ['-rm'];
  const own = spawnSync('unshare', [...unshare, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
  const again = [...process.execArgv, ...process.argv.slice(1)];
  const env = { ...process.env, RALPH_TORTURE_MOUNTS: own ? 'own' : 'none' };
  const [file = '', ...args] = own ? ['unshare', ...unshare, process.execPath, ...again] : [process.execPath, ...again];
  process.exit((await runProgram(file, args, { cwd: process.cwd(), env })).exitCode ?? 1);
}

const asked = [...(values.only ?? []), ...positionals];
const unknown = asked.filter((name) => !(ALL as readonly string[]).includes(name));
if (unknown.length > 0) {
  console.error(`No such kind of fault: ${unknown.join(', ')}. There are: ${ALL.join(', ')}`);
  process.exit(2);
}
const wanted = ALL.filter((kind) => (asked.length === 0 ? !APART.includes(kind) : asked.includes(kind)));
const kinds: readonly FaultKind[] = wanted.filter((kind) => canMount() || !MOUNTING.includes(kind));
if (kinds.length < wanted.length)
  console.log('skipped: full and read-only need `unshare -m`, which does not work here');
if (kinds.length === 0) process.exit(0);

const replayed = values.replay === undefined ? null : await loadCase(values.replay);
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
const swept = values.sweep ? sweep(kinds, first) : null;
const limit = values.minutes === undefined && !swept ? 50 : Number.POSITIVE_INFINITY;
const runs = replayed ? 1 : Number(values.runs ?? limit);
const end = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;
const started = Date.now();
let at = 0;
let stopped = false;
// The cases under way end in order, and clean up after themselves.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopped = true;
  });
const next = (): TortureCase | null => {
  if (stopped || at >= runs || Date.now() >= end) return null;
  at += 1;
  if (swept) return swept[at - 1] ?? null;
  return replayed ?? caseOf(first + at - 1, kinds);
};

if (!replayed) console.log(`seed ${first} · ${kinds.join(', ')}`);
const { played, failed, peakMemory, codes } = await runCampaign({
  next,
  lanes: Number(values.jobs),
  shrinkMs: replayed ? 0 : Number(values['shrink-seconds']) * 1_000,
  say: (line) => console.log(line),
});
const minutes = ((Date.now() - started) / 60_000).toFixed(1);
const ends = Object.entries(codes).map(([code, count]) => `${code}: ${count}`);
console.log(
  `\n${played} cases in ${minutes} min, seed ${first}, ${failed.length} failed · peak memory of a loop ${Math.round(peakMemory / 1024)} MiB\nends of programs: ${ends.join(', ')}`,
);
for (const { file } of failed) console.log(`✗ ${file}`);
process.exitCode = failed.length > 0 ? 1 : 0;
