import { homedir, tmpdir } from 'node:os';
import {
  appendToLog,
  hookFolder,
  pathFacts,
  projectRoot,
  readContextWindows,
  readHookSettings,
  readSession,
  scriptLookup,
} from '../../adapters/workspace/index.ts';
import type { Env } from '../../contracts/index.ts';
import { knowEnvironment, readStandardInput } from '../../platform/index.ts';
import {
  decideLean,
  type HookContext,
  type HookEffect,
  type HookEvent,
  type ParseOptions,
  parseHook,
  renderAnswer,
  renderLegacy,
} from '../../rules/hooks/index.ts';
import { shortLine } from '../../rules/text/index.ts';

/** More than any client sends: it includes a tool's whole output. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Less than a client waits for us. */
const PATIENCE_MS = 5_000;
/** Set by Claude Code, which writes the whole input at once and ends a hook that takes longer than its timeout. */
const OF_CLAUDE = 'CLAUDE_PROJECT_DIR';

/**
 * One hook call from standard input to the text for standard output, in its own process. Never rejects. Silent where
 * the run's control server decides: the client asks that as well, and nothing is decided twice.
 */
export async function runHook(
  options: ParseOptions,
  env: Env,
  cwd: string,
  read = () => readStandardInput(MOST_BYTES, PATIENCE_MS, Boolean(env[OF_CLAUDE])),
): Promise<string> {
  if (env['RALPH_CONTROL_URL']) return '';
  return answerHook(await read(), options, {
    env,
    cwd,
    home: env['HOME'] || homedir(),
    temp: tmpdir(),
    now: Date.now(),
  });
}

/**
 * Answers one hook call in a separate process, based on the project's files. Never rejects: any error lets the agent
 * continue and leaves a line in `hook-errors.log`.
 * @param input standard input; null when it could not be read
 * @returns one JSON object, or nothing when the agent may continue
 */
async function answerHook(input: string | null, options: ParseOptions, process: HookProcess): Promise<string> {
  const name = options.name ?? '';
  try {
    if (input === null) throw new Error('standard input was too large, too slow or closed');
    return await answer(JSON.parse(input), options, process);
  } catch (error) {
    reportError(process, placeOf(process), name, error);
    return '';
  }
}

async function answer(payload: unknown, options: ParseOptions, process: HookProcess): Promise<string> {
  const event = parseHook(payload, options);
  const root = placeOf(process, event.cwd);
  const folder = hookFolder(root, process.home, process.env);
  const decision = await decideLean(event, await hookContext(event, root, folder, process));
  for (const effect of decision.effects) {
    try {
      carryOut(effect, folder, process);
    } catch (error) {
      // An answer matters more than its trace.
      reportError(process, root, event.name, error);
    }
  }
  if (decision.answer.kind === 'allow') return '';
  const rendered = options.legacy ? renderLegacy(decision.answer) : renderAnswer(event, decision.answer);
  return JSON.stringify(rendered);
}

/** Events belong to the log of a run, which only one process writes; a fault is kept all the same. */
function carryOut(effect: HookEffect, folder: string, { env, now }: HookProcess): void {
  // Only what is written can give a secret away.
  knowEnvironment(env);
  if (effect.kind === 'log') appendToLog(folder, effect.log, effect.text);
  else if (effect.kind === 'event' && effect.body.type === 'hook-error') {
    appendToLog(folder, 'hook-errors.log', errorLine(now, effect.body.hook, effect.body.message));
  }
}

/** The client names the project; without it, the agent's shell folder is used. */
function placeOf({ env, cwd }: HookProcess, shell = ''): string {
  return projectRoot(env[OF_CLAUDE] || shell || cwd);
}

function reportError(process: HookProcess, root: string, hook: string, error: unknown): void {
  try {
    const message = error instanceof Error ? error.message : String(error);
    const body = { type: 'hook-error', hook, message } as const;
    carryOut({ kind: 'event', body }, hookFolder(root, process.home, process.env), process);
  } catch {
    // The disk is full or not writable: there is nowhere left to report it.
  }
}

function errorLine(now: number, hook: string, message: string): string {
  return `${new Date(now).toISOString()} ${shortLine(hook) || 'hook'} ${shortLine(message, 500)}\n`;
}

/** What a command hook may know of its process. */
interface HookProcess {
  readonly env: Env;
  readonly cwd: string;
  readonly home: string;
  /** The system's folder for temporary files. */
  readonly temp: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Everything a decision needs, from the files of a project. `folder` holds the session's logs. */
async function hookContext(
  event: HookEvent,
  root: string,
  folder: string,
  { env, home, temp, now }: HookProcess,
): Promise<HookContext> {
  const { guard, context, hooks } = await readHookSettings(root, env);
  // Nearly every call comes from outside a run, and need not load code about runs.
  const inRun = env['RALPH_RUN_ID'] ? await import('./run-facts.ts') : null;
  const run = (await inRun?.runOfSession(root, env)) ?? null;
  return {
    // An agent of a run is unattended, even when the run's marker is gone.
    profile: env['RALPH_RUN_ID'] ? 'run' : 'interactive',
    root,
    home: pathFacts.resolve(home, '/'),
    temp: [...new Set([temp, '/tmp', env['CLAUDE_CODE_TMPDIR'] || temp].map((path) => pathFacts.resolve(path, '/')))],
    now,
    run: run?.facts ?? null,
    session: readSession(folder, event.session),
    paths: pathFacts,
    scripts: scriptLookup(event.cwd || root, root),
    guard,
    window: {
      env: context.window,
      seen: readContextWindows(root),
      divisor: context.bytesPerToken,
    },
    stop: inRun && run && event.name === 'Stop' ? inRun.stopFacts(root, run) : null,
    maxRefusals: hooks.stopRefusals,
  };
}
