import { ExitCode, type ExitCodeValue } from './model.ts';

/** A problem with a file that people or agents write. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** Name of the rule that found it, e.g. `schema/unique-id`. */
  readonly rule: string;
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  readonly story?: string;
}

/** The facts in every error shown to a person. */
export interface ErrorFacts {
  /** What went wrong, one sentence without a full stop at the end. */
  readonly what: string;
  /** The file, line, ref, command … where it was found. */
  readonly where?: string;
  /** Why that is a problem, when it is not obvious. */
  readonly why?: string;
  /** How to fix it; one entry per possible fix. */
  readonly fix?: readonly string[];
}

/**
 * An error that a person can act on. Bugs are plain `Error`s: they keep their stack and exit 1. Rendering lives in one
 * place: {@link describeError}.
 */
export class RalphError extends Error {
  readonly facts: ErrorFacts;
  readonly exitCode: ExitCodeValue;
  constructor(facts: ErrorFacts, exitCode: ExitCodeValue = ExitCode.usage) {
    super(facts.what);
    this.name = new.target.name;
    this.facts = facts;
    this.exitCode = exitCode;
  }
}

/** Flags, arguments, or a command that cannot run here. Exit 2. */
export class UsageError extends RalphError {}

/** A configuration file or environment variable. Exit 2. */
export class ConfigError extends RalphError {}

/** The state of the git repository forbids a run. Exit 2. */
export class GitRefusal extends RalphError {}

/** The repository exists, but git cannot work in it. Exit 2. */
export class BrokenRepository extends GitRefusal {}

/** A git command failed unexpectedly. Exit 2; facts carry the command and its last output. */
export class GitError extends RalphError {}

/** The journal, ledger or another state file is unreadable or from a later version. Exit 2. */
export class StateError extends RalphError {}

/** An unusable backlog, PRD, template or scenario. Exit 2; carries every problem found. */
export class FileProblemsError extends RalphError {
  readonly problems: readonly Problem[];
  constructor(facts: ErrorFacts, problems: readonly Problem[]) {
    super(facts);
    this.problems = problems;
  }
}

/** A run or another command holds the lock. Exit 4. */
export class LockedError extends RalphError {
  readonly byRun: boolean;
  constructor(facts: ErrorFacts, byRun = true) {
    super(facts, ExitCode.locked);
    this.byRun = byRun;
  }
}

/** The agent or its isolation cannot be started. Exit 7. */
export class UnavailableError extends RalphError {
  constructor(facts: ErrorFacts) {
    super(facts, ExitCode.unavailable);
  }
}

/** What a thrown value says; of an error its message alone. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The text of an error for people: what, where, why, fix; problems one per line as `file:line: message`. A bug (not a
 * {@link RalphError}) is labelled as a bug, with a request to set `RALPH_DEBUG=1`.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof RalphError)) {
    return `Error: ${messageOf(error)}\n  This is a bug in ralph. RALPH_DEBUG=1 shows where it happened.`;
  }
  const { what, where, why, fix } = error.facts;
  const lines = [`Error: ${what}`];
  if (where) lines.push(`  where: ${where}`);
  if (why) lines.push(`  why:   ${why}`);
  if (error instanceof FileProblemsError) {
    for (const p of error.problems) {
      lines.push(`  ${p.file}:${p.line}: ${p.severity === 'warning' ? 'warning: ' : ''}${p.message}`);
      lines.push(`    fix: ${p.fix}`);
    }
  }
  for (const way of fix ?? []) lines.push(`  fix:   ${way}`);
  return lines.join('\n');
}
