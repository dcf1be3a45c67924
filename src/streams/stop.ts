import { appendSteering, type ConfigFlags, readRunRecord, type StreamTree } from '../adapters/workspace/index.ts';
import { LockedError } from '../contracts/index.ts';
import { runAtWork } from './facts.ts';
import type { OpenRun } from './set-up.ts';
import { takeTurn } from './turn.ts';

/**
 * `asked`: the process that works on it gets the request. `ended`: there was none, and its run was ended. `nothing`: no
 * run was open.
 */
export type Stopped = 'asked' | 'ended' | 'nothing';

interface StopInput {
  readonly tree: StreamTree;
  /** Do not wait for the active iteration; its work is kept in a rescue. */
  readonly now: boolean;
  readonly openRun: OpenRun;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
}

/**
 * Ends the run of a stream gracefully: by a request to the process that works on it, else by a turn that reads the
 * request and does nothing else.
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
    // Its supervisor came first: it gets the request.
    if (error instanceof LockedError) return 'asked';
    throw error;
  }
}
