import { resolve } from 'node:path';
import type { ConfigFlags } from '../../adapters/workspace/config/config.ts';
import { DURATION_FORMS, parseDuration } from '../../adapters/workspace/records/durations.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { RunLimits } from '../../contracts/state/run-record.ts';
import {
  badValue,
  choiceOf,
  countOf,
  dollarsOf,
  given,
  isOn,
  namesOf,
  type PlaceFlags,
  parseCount,
  placeOf,
  portOf,
  type RawFlags,
  textOf,
} from '../shared/flags.ts';
import { parseSandboxFlag } from './sandbox-flag.ts';

/** Everything that `ralph run` was asked on the command line. */
export interface RunFlags {
  readonly place: PlaceFlags;
  /** Settings that flags override; only those that were given. */
  readonly config: ConfigFlags;
  /** As `RunRequest` of the loop takes it. */
  readonly request: {
    readonly only: string | null;
    readonly until: string | null;
    readonly once: boolean;
    readonly turn: false;
    readonly resetCircuit: boolean;
    readonly limits: Partial<RunLimits>;
  };
  /** A dashboard beside the run; `port` null is that of the configuration. */
  readonly dashboard: { readonly port: number | null } | null;
  /** The monitor in front of the run's log. */
  readonly tui: boolean;
  readonly dryRun: boolean;
  /** In a work tree of its own. */
  readonly worktree: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
}

/**
 * Reads the command line of `ralph run`.
 * @param args positional: at most one, the number of iterations
 * @param cwd a relative `--scenario` is found from here
 * @throws UsageError for a value that a flag does not take, or for flags that contradict each other
 */
export function parseRunFlags(args: readonly string[], flags: RawFlags, cwd: string): RunFlags {
  const only = textOf(flags, 'story') ?? null;
  const until = textOf(flags, 'until') ?? null;
  if (only !== null && until !== null && only !== until) {
    throw new UsageError({
      what: `--story ${only} and --until ${until} contradict each other: a run on one story never reaches another`,
    });
  }
  if (isOn(flags, 'tui') && isOn(flags, 'json')) {
    throw new UsageError({ what: '--tui and --json contradict each other: one is for people, the other for programs' });
  }
  const scenario = textOf(flags, 'scenario');
  const config: ConfigFlags = given({
    agent: agents(flags, scenario),
    model: textOf(flags, 'model'),
    maxIterations: iterations(args, flags),
    skipReview: isOn(flags, 'skipReview') || undefined,
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
    isolation: parseSandboxFlag(flags),
    rollback: choiceOf(flags, 'rollback', ['iteration-end', 'immediate', 'never']),
    dirty: choiceOf(flags, 'dirty', ['refuse', 'stash', 'keep']),
    branch: flags['branch'] === false ? false : undefined,
    requireGreen: isOn(flags, 'requireGreen') || undefined,
    commit: flags['verify'] === false ? { verify: false } : undefined,
    scripted: scenario === undefined ? undefined : { scenario: resolve(cwd, scenario) },
  });
  return {
    place: placeOf(flags),
    config,
    request: {
      only,
      until,
      once: isOn(flags, 'once'),
      turn: false,
      resetCircuit: isOn(flags, 'resetCircuit'),
      limits: limitsIn(config),
    },
    dashboard: dashboardIn(flags),
    tui: isOn(flags, 'tui'),
    dryRun: isOn(flags, 'dryRun') || flags['commit'] === false,
    worktree: isOn(flags, 'worktree'),
    verbose: isOn(flags, 'verbose'),
    json: isOn(flags, 'json'),
  };
}

function dashboardIn(flags: RawFlags): RunFlags['dashboard'] {
  const { dashboard } = flags;
  if (dashboard === undefined) return null;
  const port = portOf(flags, 'dashboard');
  // `ralph run --dashboard 20`: commander takes the number of iterations for the port.
  if (port !== null && port > 0 && port < 1024) {
    throw badValue('dashboard', String(port), 'a port from 1024 on; the number of iterations goes before it');
  }
  return { port };
}

/** A run that is resumed keeps the limits that are not named again. */
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

/** The argument and the flag mean the same; given twice they must agree. */
function iterations(args: readonly string[], flags: RawFlags): number | undefined {
  const flag = countOf(flags, 'maxIterations');
  const [text] = args;
  if (text === undefined) return flag;
  const argument = parseCount(text, 'the number of iterations');
  if (flag !== undefined && flag !== argument) {
    throw new UsageError({
      what: `${argument} iterations as the argument and ${flag} as --max-iterations contradict each other`,
    });
  }
  return argument;
}

/** Only the agent `scripted` plays scenarios, so `--scenario` alone names it. */
function agents(flags: RawFlags, scenario: string | undefined): readonly string[] | undefined {
  const names = namesOf(flags, 'agent');
  if (scenario === undefined) return names;
  if (names !== undefined && !names.includes('scripted')) {
    throw new UsageError({ what: `--scenario is for the agent scripted, but --agent is ${names.join(',')}` });
  }
  return names ?? ['scripted'];
}
