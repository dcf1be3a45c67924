import type { ConfigFlags } from '../adapters/workspace/config/config.ts';
import { readRunRecord } from '../adapters/workspace/records/run-record.ts';
import { appendSteering } from '../adapters/workspace/records/steering-file.ts';
import type { StreamTree } from '../adapters/workspace/worktrees/places.ts';
import { LockedError } from '../contracts/errors.ts';
import { runAtWork } from './facts.ts';
import type { OpenRun } from './open-run.ts';
import { takeTurn } from './turn.ts';

/** `asked`: whoever works on it hears the word. `ended`: nobody did, and its run was ended. `nothing`: none was open. */
export type Stopped = 'asked' | 'ended' | 'nothing';

interface StopInput {
  readonly tree: StreamTree;
  /** Do not wait for the iteration that is under way; its work is kept in a rescue. */
  readonly now: boolean;
  readonly openRun: OpenRun;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
}

/**
 * Ends the run of a stream in order: by a word to whoever works on it, else by a turn that hears the word and does
 * nothing else.
 */
export async function stopStream({ tree, now, openRun, env, flags }: StopInput): Promise<Stopped> {
  const { stateDir, root, file } = tree;
  const record = await readRunRecord(stateDir);
  const atWork = await runAtWork(stateDir);
  const run = atWork ?? (record?.ended === null ? record.run : null);
  if (run === null || file === null) return 'nothing';
  await appendSteering(stateDir, { kind: 'stop', run, now, at: Date.now() });
  if (atWork !== null) return 'asked';
  try {
    await takeTurn({
      root,
      stateDir,
      specDir: file.specDir,
      flags,
      left: { costUsd: null, tokens: null },
      openRun,
      env,
      signal: new AbortController().signal,
      onEvent: () => {},
    });
    return 'ended';
  } catch (error) {
    // Its supervisor came first: it hears the word.
    if (error instanceof LockedError) return 'asked';
    throw error;
  }
}
