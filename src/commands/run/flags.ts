import { resolve } from 'node:path';
import type { ConfigFlags } from '../../adapters/workspace/index.ts';
import {
  DURATION_FORMS,
  type IsolationSettings,
  parseDuration,
  type RunLimits,
  UsageError,
} from '../../contracts/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import {
  badValue,
  choiceOf,
  countOf,
  dollarsOf,
  given,
  isOn,
  isTask,
  namesOf,
  parseCount,
  placeOf,
  portOf,
  type RawFlags,
  textOf,
} from '../shared/flags.ts';

/**
 * Reads the command line of `ralph run`: `config` holds the settings that flags override, only the given ones; `request`
 * is in the form of the loop's `RunRequest`.
 * @param args positional: at most one, the number of iterations or a task
 * @param cwd the base of a relative `--scenario`
 * @throws UsageError for a value that a flag does not take, or for flags that cannot be used together
 */
export function parseRunFlags(args: readonly string[], flags: RawFlags, cwd: string) {
  const only = textOf(flags, 'story') ?? null;
  const until = textOf(flags, 'until') ?? null;
  if (only !== null && until !== null && only !== until) {
    throw new UsageError({
      what: `--story ${only} and --until ${until} cannot be used together: a run on one story never reaches another`,
    });
  }
  if (isOn(flags, 'tui') && isOn(flags, 'json')) {
    throw new UsageError({
      what: '--tui and --json cannot be used together: one is for people, the other for programs',
    });
  }
  const scenario = textOf(flags, 'scenario');
  const task = taskIn(args, flags);
  const config: ConfigFlags = given({
    agent: agents(flags, scenario),
    model: textOf(flags, 'model'),
    maxIterations: iterations(task === null ? args : [], flags),
    skipReview: isOn(flags, 'skipReview') || undefined,
    gate: choiceOf(flags, 'gate', ['none', 'story']),
    gateTimeoutMs: durationOf(flags, 'gateTimeout'),
    reviewCap: countOf(flags, 'reviewCap'),
    timeoutMs: durationOf(flags, 'timeout'),
    idleTimeoutMs: durationOf(flags, 'idleTimeout'),
    storyMaxAttempts: countOf(flags, 'storyMaxAttempts'),
    calls: countOf(flags, 'calls'),
    maxCost: dollarsOf(flags, 'maxCost'),
    maxTokens: countOf(flags, 'maxTokens'),
    maxDurationMs: durationOf(flags, 'maxDuration'),
    storyMaxCost: dollarsOf(flags, 'storyMaxCost'),
    onUsageLimit: choiceOf(flags, 'onUsageLimit', ['wait', 'fallback', 'stop']),
    keepAwake: isOn(flags, 'keepAwake') || undefined,
    isolation: isolationIn(flags),
    rollback: choiceOf(flags, 'rollback', ['iteration-end', 'immediate', 'never']),
    dirty: choiceOf(flags, 'dirty', ['refuse', 'stash', 'keep']),
    branch: flags['branch'] === false ? false : undefined,
    requireGreen: isOn(flags, 'requireGreen') || undefined,
    commit: flags['verify'] === false ? { verify: false } : undefined,
    scripted: scenario === undefined ? undefined : { scenario: resolve(cwd, scenario) },
  });
  return {
    place: placeOf(flags),
    /** What to do, in a person's words; null: what the backlog says. */
    task,
    config,
    request: {
      only,
      until,
      once: isOn(flags, 'once'),
      ...(isOn(flags, 'stopOnFailure') ? { stopOnFailure: true } : {}),
      turn: false as const,
      resetCircuit: isOn(flags, 'resetCircuit'),
      limits: limitsIn(config),
    },
    /** Beside the run; `port` null is the configured port. */
    dashboard: dashboardIn(flags),
    tui: isOn(flags, 'tui'),
    dryRun: isOn(flags, 'dryRun') || flags['commit'] === false,
    /** In a separate work tree. */
    worktree: isOn(flags, 'worktree'),
    verbose: isOn(flags, 'verbose'),
    json: isOn(flags, 'json'),
  };
}

export type RunFlags = ReturnType<typeof parseRunFlags>;

function dashboardIn(flags: RawFlags): { readonly port: number | null } | null {
  const { dashboard } = flags;
  if (dashboard === undefined) return null;
  const port = portOf(flags, 'dashboard');
  // `ralph run --dashboard 20`: commander takes the number of iterations for the port.
  if (port !== null && port > 0 && port < 1024) {
    throw badValue('dashboard', String(port), 'a port, 1024 or higher; put the number of iterations before it');
  }
  return { port };
}

/** A resumed run keeps the limits that are not named again. */
function limitsIn(config: ConfigFlags): Partial<RunLimits> {
  const { maxIterations, calls, maxCost, maxTokens, maxDurationMs, storyMaxCost, storyMaxAttempts } = config;
  return given({ maxIterations, calls, maxCost, maxTokens, maxDurationMs, storyMaxCost, storyMaxAttempts });
}

/** A duration in milliseconds. @throws UsageError */
export function durationOf(flags: RawFlags, name: string): number | undefined {
  const text = textOf(flags, name);
  if (text === undefined) return undefined;
  try {
    return parseDuration(text);
  } catch {
    throw badValue(name, text, DURATION_FORMS);
  }
}

/** @throws UsageError beside flags that choose among the stories of a backlog, and for a single word */
function taskIn([text]: readonly string[], flags: RawFlags): string | null {
  if (text === undefined || /^-?[\d.]+$/.test(text)) return null;
  if (!isTask(text)) {
    throw new UsageError({
      what: `the number of iterations must be a whole number of at least 1, or a task in quotes, got '${text}'`,
      ...(/\d/.test(text) ? { fix: [`a story of the backlog: ralph run --story ${shellWord(text)}`] } : {}),
    });
  }
  const other = ['story', 'until', 'parallel'].find((name) => flags[name] !== undefined);
  if (other === undefined) return text.trim();
  throw new UsageError({
    what: `a task and --${other} cannot be used together: only the story of the task is worked on`,
    fix: ['leave out one of them'],
  });
}

/** The argument and the flag mean the same; when both are given they must agree. */
function iterations(args: readonly string[], flags: RawFlags): number | undefined {
  const flag = countOf(flags, 'maxIterations');
  const [text] = args;
  if (text === undefined) return flag;
  const argument = parseCount(text, 'the number of iterations');
  if (flag !== undefined && flag !== argument) {
    throw new UsageError({
      what: `${argument} iterations as the argument and ${flag} as --max-iterations cannot be used together`,
    });
  }
  return argument;
}

/** Only the agent `scripted` plays scenarios, so `--scenario` alone selects it. */
function agents(flags: RawFlags, scenario: string | undefined): readonly string[] | undefined {
  const names = namesOf(flags, 'agent');
  if (scenario === undefined) return names;
  if (names !== undefined && !names.includes('scripted')) {
    throw new UsageError({ what: `--scenario is for the agent scripted, but --agent is ${names.join(',')}` });
  }
  return names ?? ['scripted'];
}

const BACKENDS = ['auto', 'sbx', 'container', 'bwrap', 'srt'] as const;

/**
 * What `--sandbox [backend]` and `--no-sandbox` say about the isolation: a backend named here is also required.
 * Undefined when neither was given.
 * @throws UsageError for an unknown backend
 */
export function isolationIn(flags: RawFlags): Partial<IsolationSettings> | undefined {
  const { sandbox } = flags;
  if (sandbox === undefined) return undefined;
  if (sandbox === false) return { backend: 'none', required: false };
  if (sandbox === true) return { required: true };
  // `ralph run --sandbox 20`: commander takes the number of iterations for the backend.
  if (typeof sandbox === 'string' && /^\d+$/.test(sandbox)) {
    throw badValue('sandbox', sandbox, `${BACKENDS.join(', ')}; put the number of iterations before it`);
  }
  const backend = choiceOf(flags, 'sandbox', BACKENDS);
  return backend === undefined ? undefined : { backend, required: true };
}

/** More lanes than this are a typing error: each has its own work tree, set-up and agent. */
const MOST_LANES = 32;

/**
 * How many stories `ralph run` works on at once; 1: one after the other.
 * @throws UsageError beside flags that ask for a single story or iteration
 */
export function lanesAsked(flags: RawFlags, { only, once }: Pick<RunFlags['request'], 'only' | 'once'>): number {
  const given = textOf(flags, 'parallel');
  if (given?.startsWith('-')) {
    throw new UsageError({
      what: '--parallel needs a number of stories',
      why: `'${given}' is not a number`,
      fix: [`ralph run --parallel 2 ${given}`],
    });
  }
  const lanes = countOf(flags, 'parallel') ?? 1;
  if (lanes === 1) return 1;
  if (lanes > MOST_LANES) {
    throw new UsageError({
      what: `--parallel takes 1 to ${MOST_LANES}, not ${lanes}`,
      why: 'each lane has its own worktree and agent',
      fix: ['ralph run --parallel 3'],
    });
  }
  const other = once ? '--once' : only === null ? null : `--story ${only}`;
  if (other === null) return lanes;
  throw new UsageError({
    what: `--parallel and ${other} cannot be used together: it works on only one story at a time`,
    fix: [`ralph run ${other}`],
  });
}
