import { passedEnvironment } from '../../adapters/agents/allowed-environment.ts';
import type { AgentAdapter } from '../../adapters/agents/port.ts';
import type { GuestMount, HookRunner } from '../../adapters/git/port.ts';
import type { Isolation } from '../../adapters/isolation/port.ts';
import { type CommandResult, runCommand } from '../../platform/process/run-command.ts';
import { knowsSecrets, secretStream, withoutSecrets } from '../../platform/secrets.ts';
import type { RunContext } from '../context.ts';

/** Of a commit hook's output, bytes that are kept to explain its refusal. */
const HOOK_OUTPUT_BYTES = 64 * 1024;

/** What it takes to run something inside: less than a run, so that a work tree can be set up before one. */
export type InsidePorts = Pick<
  RunContext,
  'checksIsolation' | 'isolation' | 'agents' | 'config' | 'env' | 'git' | 'run' | 'signal'
>;

/** A program of the project's: a check, or a commit hook. */
export interface ProjectCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Default: the work tree. */
  readonly cwd?: string;
  /** Beside what every command of the project gets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly mounts: readonly GuestMount[];
  /** Default: that of the work tree. */
  readonly isolation?: Isolation;
  /** Kept of each stream. */
  readonly maxBytes: number;
  /** Either stream, as it comes. Must not throw. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/**
 * Runs a program of the project's where the agents run: it may well be what an agent wrote. Ends it, and all it left
 * running, after `checks.timeout` and when the run is stopped. Its output comes without secrets. @throws SpawnFailed
 */
export async function runInside(context: InsidePorts, command: ProjectCommand): Promise<CommandResult> {
  const { checksIsolation, config, git, run, signal } = context;
  const { file, args, cwd = git.repo.root, env, mounts, isolation = checksIsolation, maxBytes } = command;
  const onOutput = command.onOutput && withoutSecretsIn(command.onOutput);
  started += 1;
  const marker = `${run}/check-${process.pid}-${started}`;
  const wrapped = await isolation.wrap({
    file,
    args,
    cwd,
    env: { ...projectEnvironment(context), RALPH_RUN_ID: marker, ...env },
    mounts,
  });
  try {
    const result = await runCommand(wrapped.file, wrapped.args, {
      cwd: wrapped.cwd,
      env: wrapped.env,
      timeoutMs: config.checks.timeoutMs,
      maxBytes,
      marker,
      signal,
      ...(onOutput ? { onOutput } : {}),
    });
    return { ...result, stdout: cleaned(result.stdout), stderr: cleaned(result.stderr) };
  } finally {
    await wrapped.end();
  }
}

/** What the project prints goes into records, prompts and onto the terminal. */
function withoutSecretsIn(see: (chunk: Uint8Array) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  const redactPiece = secretStream();
  return (chunk) => see(Buffer.from(redactPiece(decoder.decode(chunk, { stream: true }))));
}

function cleaned(output: Buffer): Buffer {
  return knowsSecrets() ? Buffer.from(withoutSecrets(output.toString('utf8'))) : output;
}

/** Runs commit hooks as git would, in the isolation of the run. */
export function hookRunner(context: RunContext): HookRunner {
  return async ({ file, args, env, mounts }) => {
    const identity = context.git.identity;
    const result = await runInside(context, {
      file,
      args,
      env: { ...identity, ...env },
      mounts,
      maxBytes: HOOK_OUTPUT_BYTES,
    });
    const output = Buffer.concat([result.stdout, result.stderr]).toString('utf8').trim();
    return { exitCode: result.exitCode, output };
  };
}

/**
 * Commands of this process. Each has a marker of its own below the run's: checks run beside an agent and beside each other,
 * and what one leaves is swept without the others.
 */
let started = 0;

/**
 * What agents get of the person's environment. Inside an isolation their configuration is in the home folder there:
 * a variable that names another place would lead nowhere.
 */
export function environmentFor(
  { env, config, isolation }: Pick<RunContext, 'env' | 'config' | 'isolation'>,
  agents: readonly AgentAdapter[],
): Record<string, string> {
  const passed = passedEnvironment(env, config, agents);
  if (isolation.name === 'none') return passed;
  const elsewhere = agents.map(({ inside }) => inside.config?.variable);
  return Object.fromEntries(Object.entries(passed).filter(([name]) => !elsewhere.includes(name)));
}

/** What agents see of the person's environment, so that both judge the same. */
function projectEnvironment(context: InsidePorts): Record<string, string> {
  const passed = environmentFor(context, context.agents);
  return { ...passed, CI: passed['CI'] ?? '1' };
}
