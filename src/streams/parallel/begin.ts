import { hostname } from 'node:os';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import { newRunId, readRunRecord, writeRunRecord } from '../../adapters/workspace/records/run-record.ts';
import type { Story } from '../../contracts/model.ts';
import { RUN_RECORD_VERSION, type RunLimits } from '../../contracts/state/run-record.ts';
import { commitBookkeeping } from '../../loop/start.ts';
import { crashpoint } from '../../platform/crashpoint.ts';
import { writeAtomic } from '../../platform/files/atomic-file.ts';
import { readBytes } from '../../platform/files/files.ts';
import { rateOf } from '../../rules/safeguards/rate.ts';
import { bringSpec } from '../bring-spec.ts';
import { type Crew, type Lane, setWork } from './crew.ts';
import { loopTexts } from './texts.ts';

/** Gives a story to a free lane: its work tree is put to the branch as it is now, and knows what the run knows. */
export async function beginStory(crew: Crew, lane: Lane, story: Story): Promise<void> {
  const { context, branch } = crew;
  const { git, workspace } = context;
  await commitBookkeeping(context, `before ${story.safeId} begins`);
  const base = await git.resolve(branch);
  if (base === null) throw new Error(`the branch ${branch} is gone`);
  await lane.git.resetTo(base);
  crashpoint('lane-reset');
  // What git ignores of the spec folder is in no commit.
  await bringSpec(git.repo.root, lane.git.repo.root, workspace, true);
  await copyLedger(git.repo.stateDir, lane.git.repo.stateDir);
  // Of the story before nothing goes on, not even its run.
  await newLaneRun(crew, lane);
  crashpoint('lane-run');
  // Last: whoever reads it finds all the rest as it says.
  await setWork(lane, { story: story.id, base, files: await loopTexts(git.repo.root, workspace), landing: null });
  crashpoint('lane-begun');
}

/** Attempts, failures and limits of before count in the lane, too. */
async function copyLedger(from: string, to: string): Promise<void> {
  await writeAtomic(`${to}/ledger.jsonl`, (await readBytes(`${from}/ledger.jsonl`)) ?? '');
}

/** The lane has an open run, that of its last turn on this story or a new one, which may start `lane.calls` agents. */
export async function openLaneRun(crew: Crew, lane: Lane): Promise<void> {
  const { stateDir } = lane.git.repo;
  const previous = await readRunRecord(stateDir);
  if (previous === null || previous.ended !== null) await newLaneRun(crew, lane);
  const record = await readRunRecord(stateDir);
  if (record?.limits == null) return;
  const { used } = rateOf({ ledger: await readLedger(stateDir), now: crew.context.clock.now(), limit: 0 });
  await writeRunRecord(stateDir, { ...record, limits: { ...record.limits, calls: used + lane.calls } });
}

/**
 * It knows the checks as they were before the run. Its limits are wide: the run that it belongs to watches over what all
 * lanes use.
 */
async function newLaneRun({ context }: Crew, lane: Lane): Promise<void> {
  const { config, steering, workspace, clock, record } = context;
  const { storyMaxCost, storyMaxAttempts } = steering.limits();
  const maxIterations = config.maxAllowedIterations;
  const limits: RunLimits = { ...WIDE, maxIterations, storyMaxCost, storyMaxAttempts };
  await writeRunRecord(lane.git.repo.stateDir, {
    version: RUN_RECORD_VERSION,
    run: newRunId(clock.now()),
    startedAt: clock.now(),
    host: hostname(),
    pid: process.pid,
    specDir: workspace.specDir,
    baseline: record.baseline,
    ...(record.foundChecks ? { foundChecks: record.foundChecks } : {}),
    maxIterations,
    limits,
    ended: null,
  });
}

const WIDE = { calls: 1_000_000, maxCost: null, maxTokens: null, maxDurationMs: null } as const;
