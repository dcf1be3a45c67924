import { rememberProject } from '../../adapters/workspace/index.ts';
import type { Config, EventSink, RalphEvent } from '../../contracts/index.ts';
import {
  type Rounds,
  type RunInput,
  type RunPorts,
  type RunRequest,
  type RunSummary,
  runToEnd,
} from '../../loop/index.ts';
import { systemClock } from '../../platform/index.ts';
import { storyState } from '../../rules/backlog/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import {
  type ClosableSink,
  createRunLog,
  type Io,
  jsonSink,
  paintFor,
  type RunPlace,
  renderSummary,
} from '../../surfaces/terminal/index.ts';
import { version } from '../../version.ts';
import { printLines } from '../shared/print.ts';
import { portsOf } from '../shared/turn-ports.ts';
import { withSignals } from '../shared/with-signals.ts';
import { gatherCompany } from './company.ts';
import type { RunFlags } from './flags.ts';

/** How a run with lanes differs from other runs. */
interface InLanes {
  readonly lanes: number;
  readonly rounds: Rounds;
  readonly openLog: (io: Io) => ClosableSink;
}

/** Runs the loop as the command line asks, and shows it. @returns the exit code of the run */
export async function runLive(
  place: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  asked: RunFlags,
  io: Io,
  inLanes: InLanes | null = null,
): Promise<number> {
  // The first seconds have no events, and a person at a terminal should not wonder: an isolation is tried by use.
  if (!asked.json && io.isTTY)
    io.stdout.write(`preparing: agent ${config.agent.join(', ')}, isolation, login, checks\n`);
  const found = await portsOf({ ...place, config }, asked.config.isolation !== undefined, false, io);
  const { root, commonDir } = place.git.repo;
  await rememberProject(io.env, { root, repository: commonDir });
  const company = await gatherCompany(place, config, asked, io);
  const log = asked.json
    ? jsonSink(io)
    : (inLanes?.openLog(company.io) ?? createRunLog({ io: company.io, verbose: asked.verbose, now: systemClock.now }));
  try {
    const ports = { ...place, ...found, env: io.env, ...(inLanes ? { rounds: inLanes.rounds } : {}) };
    let work: string | null = null;
    const see = (event: RalphEvent) => {
      if (event.type === 'select') work = oneLine(`iteration ${event.iteration} (${event.story})`);
      if (event.type === 'iteration-end') work = null;
      company.see(event);
      log(event);
    };
    const tell = (isSecond: boolean) => {
      if (isSecond) io.stderr.write(`\n${leftBy(work)}\n`);
      else if (io.isTTY) io.stderr.write(`\n${STOPPING}\n`);
    };
    const summary = await runWithSignals({ ...ports, config, request: asked.request }, see, tell);
    log.close();
    await company.clearScreen();
    const isHere = `${io.cwd}/`.startsWith(`${root}/`);
    const at = { root: isHere ? null : root, lanes: inLanes?.lanes ?? 1 };
    if (!asked.json) printLines(io, summaryLines(summary, io, at));
    return summary.exitCode;
  } finally {
    log.close();
    await company.dismiss();
  }
}

const STOPPING = 'Stopping: the agent gets 5 s, its work is kept. Ctrl-C again stops at once.';

/** What stopping at once leaves behind, and how to continue. @param work the current iteration */
function leftBy(work: string | null): string {
  const left = work === null ? 'nothing was running' : `${work} is unfinished; its changes are still in the work tree`;
  return `Stopped at once: ${left}.\n\`ralph run\` cleans up, keeps that work as a rescue, and continues.`;
}

type LoopInput = Omit<RunPorts, 'signal' | 'openControl'> &
  Pick<RunInput, 'config' | 'isolationInstead' | 'planted' | 'notices' | 'rounds'> & {
    readonly request: Omit<RunRequest, 'turn'>;
  };

export async function runWithSignals(
  input: LoopInput,
  onEvent: EventSink,
  tell?: (isSecond: boolean) => void,
): Promise<RunSummary> {
  return withSignals((signal) => {
    const openControl = async () => (await import('../../surfaces/server/start.ts')).startControlServer();
    return runToEnd({ ...input, openControl, signal, version, onEvent });
  }, tell);
}

/** The block at the end of a run. @param place where it worked; default: the user's folder */
export function summaryLines(summary: RunSummary, io: Io, place?: RunPlace): readonly string[] {
  const stories = summary.stories.map(({ id, title, story, note, iterations, costUsd }) => ({
    id,
    title,
    state: storyState(story),
    ...(note ? { note } : {}),
    iterations,
    costUsd,
  }));
  return renderSummary({ ...summary, stories }, { paint: paintFor(io), columns: io.columns, ...(place && { place }) });
}
