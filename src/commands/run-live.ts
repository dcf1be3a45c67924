import type { AgentAdapter } from '../adapters/agents/port.ts';
import { agentByName } from '../adapters/agents/registry.ts';
import type { IsolationName } from '../adapters/isolation/port.ts';
import { rememberProject } from '../adapters/workspace/projects.ts';
import type { StopReason } from '../contracts/agent.ts';
import type { Config } from '../contracts/config.ts';
import { ConfigError, UnavailableError } from '../contracts/errors.ts';
import type { EventSink } from '../contracts/events.ts';
import { ExitCode } from '../contracts/model.ts';
import type { RunPorts } from '../loop/context.ts';
import { runLoop } from '../loop/run.ts';
import type { RunSummary } from '../loop/summary.ts';
import { systemClock } from '../platform/clock.ts';
import { storyState } from '../rules/backlog/story-state.ts';
import { hang } from '../surfaces/terminal/hang.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { jsonSink } from '../surfaces/terminal/json-sink.ts';
import { paintFor } from '../surfaces/terminal/paint.ts';
import { createRunLog } from '../surfaces/terminal/run-log.ts';
import { renderSummary } from '../surfaces/terminal/summary.ts';
import { version } from '../version.ts';
import { gatherCompany } from './company.ts';
import { isolate } from './isolate.ts';
import { printLines } from './print.ts';
import type { RunFlags } from './run-flags.ts';

/** Runs the loop as the command line asked, and shows it. @returns the exit code of the run */
export async function runLive(
  place: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  asked: RunFlags,
  io: Io,
): Promise<number> {
  const named = await Promise.all(config.agent.map(agentByName));
  const isolated = await isolate({
    workspace: place.workspace,
    config,
    env: io.env,
    agents: named,
    asked: asked.config.isolation !== undefined,
  });
  const agents = await usableAgents(named, config, isolated.isolation.name, io);
  const { root, commonDir } = place.git.repo;
  await rememberProject(io.env, { root, repository: commonDir });
  const company = await gatherCompany(place.git, config, asked, io);
  const log = asked.json
    ? jsonSink(io)
    : createRunLog({ io: company.io, verbose: asked.verbose, now: systemClock.now });
  try {
    const ports = { ...place, ...isolated, agents, env: io.env };
    const summary = await runWithSignals({ ...ports, config, request: asked.request }, (event) => {
      company.see(event);
      log(event);
    });
    log.close();
    await company.clearScreen();
    if (!asked.json) printLines(io, summaryLines(summary, io));
    return summary.exitCode;
  } finally {
    log.close();
    await company.dismiss();
  }
}

type LoopInput = Omit<RunPorts, 'signal' | 'openControl'> &
  Pick<Parameters<typeof runLoop>[0], 'config' | 'request' | 'isolationInstead' | 'planted' | 'notices'>;

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

/**
 * The agents of the list from the first one on that is there. Those after it are not looked for: asking a program for
 * its version takes long, and mostly nobody needs them; one that is missing is passed over when its turn comes.
 * @throws UnavailableError naming why each is not
 */
async function usableAgents(
  agents: readonly AgentAdapter[],
  config: Config,
  isolation: IsolationName,
  io: Io,
): Promise<readonly AgentAdapter[]> {
  const reasons: string[] = [];
  const mends: string[] = [];
  for (const [i, agent] of agents.entries()) {
    const found = await agent.detect(config, isolation);
    if (found.ok) {
      for (const reason of reasons) io.stderr.write(`warning: ${reason}; ${agent.name} takes over\n`);
      return agents.slice(i);
    }
    reasons.push(`${agent.name}: ${found.detail}`);
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
  const lines = renderSummary({ ...summary, stories }, { paint: paintFor(io), columns: io.columns });
  return io.isTTY ? lines.flatMap((line) => hang(line, io.columns)) : lines;
}
