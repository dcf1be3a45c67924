import { appendSteering, type SteeringRequest } from '../../adapters/workspace/records/steering-file.ts';
import type { Steering } from '../../rules/steering/steering.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { type LiveRun, needLiveRun } from '../shared/live-run.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { steeringNow } from '../status/steering-now.ts';

/** What somebody has to say to a live run. */
export interface Word {
  /** null when it was said before. */
  readonly request: Extract<SteeringRequest, { kind: 'pause' | 'resume' | 'stop' }> | null;
  /** For the person, without the name of the run in front. */
  readonly text: string;
}

/** The word for a run as it is now; `at` is epoch ms. */
export type ChooseWord = (steering: Steering, live: LiveRun, at: number) => Word;

/** What came of it. */
export interface Told {
  readonly run: string;
  /** False when the run had been told so before. */
  readonly changed: boolean;
  readonly text: string;
}

/**
 * Says one thing to the run that is under way, unless it was said already.
 * @throws UsageError when no run is under way
 */
export async function tellRun(flags: RawFlags, io: Io, choose: ChooseWord): Promise<Told> {
  const git = await openProject(flags, io);
  const live = await needLiveRun(git);
  const { request, text } = choose(await steeringNow(git, live, io), live, Date.now());
  if (request !== null) await appendSteering(git.repo.stateDir, request);
  return { run: live.run, changed: request !== null, text };
}

/** In a sentence. */
export function toldText({ run, text }: Told): string {
  return `run ${run} ${text}`;
}

/** The whole of `ralph pause`, `resume` and `stop`. */
export async function tellAndPrint(flags: RawFlags, io: Io, choose: ChooseWord): Promise<number> {
  const told = await tellRun(flags, io, choose);
  if (isOn(flags, 'json')) printJson(io, told);
  else printLines(io, [toldText(told)]);
  return 0;
}
