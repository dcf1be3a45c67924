import { agentByName } from '../adapters/agents/registry.ts';
import { chooseIsolation } from '../adapters/isolation/index.ts';
import type { StopReason } from '../contracts/agent.ts';
import type { Config } from '../contracts/config.ts';
import { ConfigError, UnavailableError } from '../contracts/errors.ts';
import type { EventSink } from '../contracts/events.ts';
import { ExitCode } from '../contracts/model.ts';
import type { RunPorts } from '../loop/context.ts';
import { runLoop } from '../loop/run.ts';
import type { RunSummary } from '../loop/summary.ts';
import { systemClock } from '../platform/clock.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { jsonSink } from '../surfaces/terminal/json-sink.ts';
import { paintFor } from '../surfaces/terminal/paint.ts';
import { createRunLog } from '../surfaces/terminal/run-log.ts';
import { renderSummary } from '../surfaces/terminal/summary.ts';
import { storyState } from '../surfaces/terminal/words.ts';
import { version } from '../version.ts';
import { printLines } from './print.ts';
import type { RunFlags } from './run-flags.ts';

/** Runs the loop as the command line asked, and shows it. @returns the exit code of the run */
export async function runLive(
  place: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  asked: RunFlags,
  io: Io,
): Promise<number> {
  const agent = await availableAgent(config);
  const log = asked.json ? jsonSink(io) : createRunLog({ io, verbose: asked.verbose, now: systemClock.now });
  try {
    const ports = { ...place, agent, isolation: chooseIsolation(), env: io.env };
    const summary = await runWithSignals({ ...ports, config, request: asked.request }, log);
    log.close();
    if (!asked.json) printLines(io, summaryLines(summary, io));
    return summary.exitCode;
  } finally {
    log.close();
  }
}

type LoopInput = Omit<RunPorts, 'signal' | 'openControl'> & Pick<Parameters<typeof runLoop>[0], 'config' | 'request'>;

/**
 * Runs the loop with the signals of this process: the first SIGINT or SIGTERM ends the run in order, the second ends
 * the process at once; what that leaves is recovered by the next start.
 */
export async function runWithSignals(input: LoopInput, onEvent: EventSink): Promise<RunSummary> {
  const stop = new AbortController();
  const onSignal = (reason: StopReason, code: number) => () => {
    if (stop.signal.aborted) process.exit(code);
    stop.abort(reason);
  };
  const onInterrupt = onSignal('interrupted', ExitCode.interrupted);
  const onTerminate = onSignal('terminated', ExitCode.terminated);
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onTerminate);
  try {
    const { root } = input.git.repo;
    const openControl = async (run: string) => {
      const { startControlServer } = await import('../surfaces/server/start.ts');
      return startControlServer({ run, root, env: input.env });
    };
    return await runLoop({ ...input, openControl, signal: stop.signal, version, onEvent });
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onTerminate);
  }
}

/** The first agent of the list that is there. @throws UnavailableError naming why each is not. */
async function availableAgent(config: Config) {
  const reasons: string[] = [];
  const mends: string[] = [];
  for (const name of config.agent) {
    const agent = await agentByName(name);
    const found = await agent.detect(config);
    if (found.ok) return agent;
    reasons.push(`${name}: ${found.detail}`);
    mends.push(found.mend);
  }
  if (reasons.length === 0)
    throw new ConfigError({ what: 'no agent is configured', mend: ['ralph run --agent claude'] });
  throw new UnavailableError({
    what: 'the agent cannot be used',
    where: reasons.join('; '),
    mend: [...mends, '`ralph doctor` checks everything a run needs'],
  });
}

/** The block at the end of a run. */
export function summaryLines(summary: RunSummary, io: Io): readonly string[] {
  const stories = summary.stories.map(({ id, title, story, note, iterations, costUsd }) => ({
    id,
    title,
    state: storyState(story),
    ...(note ? { note } : {}),
    iterations,
    costUsd,
  }));
  return renderSummary({ ...summary, stories }, { paint: paintFor(io), columns: io.columns });
}
