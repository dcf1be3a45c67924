import { type AgentAdapter, passedEnvironment } from '../../adapters/agents/index.ts';
import type { GuestMount, HookRunner } from '../../adapters/git/index.ts';
import type { Isolation } from '../../adapters/isolation/index.ts';
import { type CommandResult, knowsSecrets, runCommand, secretStream, withoutSecrets } from '../../platform/index.ts';
import type { InsidePorts, RunContext } from '../context.ts';

/** Bytes of a commit hook's output kept to explain its refusal. */
const HOOK_OUTPUT_BYTES = 64 * 1024;

/** A program of the project: a check, or a commit hook. */
export interface ProjectCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Default: the work tree. */
  readonly cwd?: string;
  /** In addition to what every command of the project gets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly mounts: readonly GuestMount[];
  /** Default: that of the work tree. */
  readonly isolation?: Isolation;
  /** Bytes kept of each stream. */
  readonly maxBytes: number;
  /** Receives both streams, as output arrives. Must not throw. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/**
 * Runs a program of the project where the agents run: an agent may have written it. Ends it, and all it left running,
 * after `checks.timeout` and when the run is stopped. Its output comes without secrets. @throws SpawnFailed
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

/** The project's output goes into records and prompts, and to the terminal. */
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
 * Number of commands of this process. Each has its own marker below the run's: checks run beside an agent and beside
 * each other, and what one leaves behind is swept without affecting the others.
 */
let started = 0;

/**
 * The part of the person's environment that agents get. Inside an isolation their configuration is in the home folder
 * there: a variable that names another place would be wrong.
 */
export function environmentFor(
  { env, config, isolation }: Pick<RunContext, 'env' | 'config' | 'isolation'>,
  agents: readonly AgentAdapter[],
): Record<string, string> {
  const passed = passedEnvironment(env, config, agents);
  if (isolation.name === 'none') return passed;
  const elsewhere = agents.map(({ inside }) => inside.config?.variable);
  const names = agents.flatMap(({ name, inside }) => [name, ...(inside.remotes ?? []).map((remote) => remote.name)]);
  const lent = isolation.lent.filter(({ agent }) => names.includes(agent)).map(({ variables }) => variables);
  const valid = Object.entries(passed).filter(([name]) => !elsewhere.includes(name));
  return Object.assign(Object.fromEntries(valid), ...lent);
}

/** What agents see of the person's environment, without what their logins and settings need. */
function projectEnvironment(context: InsidePorts): Record<string, string> {
  const passed = environmentFor(context, []);
  return { ...passed, CI: passed['CI'] ?? '1' };
}
