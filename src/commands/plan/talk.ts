import { dirname, join } from 'node:path';
import { INTERACTIVE_AGENTS, interactiveStart } from '../../adapters/agents/interactive.ts';
import type { AgentAdapter } from '../../adapters/agents/port.ts';
import { agentByName } from '../../adapters/agents/registry.ts';
import { templatePath } from '../../adapters/workspace/backlog/template-files.ts';
import type { Config } from '../../contracts/config.ts';
import { UnavailableError, UsageError } from '../../contracts/errors.ts';
import { readText } from '../../platform/files/files.ts';
import { childExit, type Exit } from '../../platform/process/child-exit.ts';
import { SpawnFailed } from '../../platform/process/spawn-failed.ts';
import { startChild } from '../../platform/process/start-child.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type PlanRequest, skillArguments, skillPrompt } from './request.ts';

/** An agent that a person can talk to, and how it is started. */
export interface Talker {
  readonly adapter: AgentAdapter;
  readonly program: string;
  readonly args: (request: PlanRequest) => Promise<readonly string[]>;
}

/** The agent of that name. @throws UsageError for one that cannot be talked to */
export async function talkerNamed(name: string, config: Config): Promise<Talker> {
  const adapter = await agentByName(name);
  const start = interactiveStart(name);
  const program = adapter.program(config);
  if (start === null || program === null) {
    throw new UsageError({
      what: `the agent '${name}' cannot be talked to`,
      why: 'planning is a conversation on your terminal',
      mend: [`name one that can: \`ralph plan --agent claude\` (${INTERACTIVE_AGENTS.join(', ')})`],
    });
  }
  return {
    adapter,
    program,
    async args(request) {
      // The plugin lies beside the templates in the sources, and in the package.
      const plugin = join(dirname(dirname(await templatePath('prd.md'))), 'plugin');
      if (start.loadsPlugin) return start.args(`/ralph:ralph-plan ${skillArguments(request)}`, plugin);
      const skill = join(plugin, 'skills/ralph-plan');
      return start.args(skillPrompt(await skillText(skill), skill, request), plugin);
    },
  };
}

/**
 * Gives the terminal to the agent, as the person's own session: their settings, their login, nothing isolated. Ctrl-C
 * and Ctrl-Z belong to it.
 * @param screen file descriptor of the terminal that it draws on
 * @throws UnavailableError when it does not start
 */
export async function talk(
  { adapter, program }: Talker,
  args: readonly string[],
  {
    cwd,
    io,
    screen,
    config,
  }: { readonly cwd: string; readonly io: Io; readonly screen: 1 | 2; readonly config: Config },
): Promise<Exit> {
  const child = await startChild(program, args, { cwd, env: { ...io.env }, stdio: [0, screen, 2] }).catch(
    async (error: unknown) => {
      if (!(error instanceof SpawnFailed)) throw error;
      const { mend } = await adapter.detect(config);
      throw new UnavailableError({ what: error.message, why: `${adapter.name} would plan with you`, mend: [mend] });
    },
  );
  const keep = () => undefined;
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGINT', keep).on('SIGTERM', pass).on('SIGHUP', pass);
  try {
    return await childExit(child);
  } finally {
    process.off('SIGINT', keep).off('SIGTERM', pass).off('SIGHUP', pass);
  }
}

async function skillText(folder: string): Promise<string> {
  const path = join(folder, 'SKILL.md');
  const text = await readText(path);
  if (text === null) throw new Error(`${path} is missing from this installation of ralph`);
  return text;
}
