import { appendSteering, type SteeringRequest } from '../adapters/workspace/steering-file.ts';
import type { Steering } from '../rules/steering/steering.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from './flags.ts';
import { type LiveRun, needLiveRun } from './live-run.ts';
import { openProject } from './open.ts';
import { printJson, printLines } from './print.ts';
import { steeringNow } from './steering-now.ts';

/** What a command has to say to a live run. */
export interface Word {
  /** null when it was said before. */
  readonly request: Extract<SteeringRequest, { kind: 'pause' | 'resume' | 'stop' }> | null;
  /** For the person, without the name of the run in front. */
  readonly text: string;
}

/**
 * Says one thing to the run that is under way, unless it was said already: `ralph pause`, `resume` and `stop`.
 * @throws UsageError when no run is under way
 */
export async function tellRun(
  flags: RawFlags,
  io: Io,
  word: (steering: Steering, live: LiveRun, at: number) => Word,
): Promise<number> {
  const git = await openProject(flags, io);
  const live = await needLiveRun(git);
  const { request, text } = word(await steeringNow(git, live, io), live, Date.now());
  if (request !== null) await appendSteering(git.repo.stateDir, request);
  if (isOn(flags, 'json')) printJson(io, { run: live.run, changed: request !== null, text });
  else printLines(io, [`run ${live.run} ${text}`]);
  return 0;
}
