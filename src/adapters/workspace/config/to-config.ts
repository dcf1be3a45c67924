import type { Config } from '../../../contracts/config.ts';
import type { ParsedConfig } from './config-schema.ts';

/** The names of the schema that hold a duration carry its unit in `Config`. */
export function toConfig(parsed: ParsedConfig): Config {
  const {
    $schema: _,
    timeout,
    idleTimeout,
    maxDuration,
    checks,
    transient,
    circuit,
    models,
    commit,
    isolation,
    worktree,
    ...same
  } = parsed;
  const { cooldown, ...thresholds } = circuit;
  const { memory, ...allowances } = isolation;
  return {
    ...same,
    timeoutMs: timeout,
    idleTimeoutMs: idleTimeout,
    maxDurationMs: maxDuration,
    checks: {
      timeoutMs: checks.timeout,
      where: checks.where,
      setup: checks.setup ?? (worktree.setup.length > 0 ? worktree.setup : null),
      copy: [...new Set([...checks.copy, ...worktree.copy])],
      retries: checks.retries,
      parallel: checks.parallel,
    },
    circuit: { ...thresholds, cooldownMs: cooldown },
    isolation: { ...allowances, memoryBytes: memory },
    transient: { retries: transient.retries, delayMs: transient.delay, maxWaitMs: transient.maxWait },
    models: { ...given(models), byEstimate: models.byEstimate, escalate: models.escalate },
    commit: { ...commit, templates: given(commit.templates) },
  };
}

/** Without the keys whose value is undefined, which `exactOptionalPropertyTypes` tells apart from absent ones. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
