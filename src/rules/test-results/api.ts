/** Test results: was this command a test run, and how did it end? Pure judgement of its text, output and exit code. */

export type TestOutcome = 'pass' | 'fail' | 'error' | 'no-tests' | 'unknown' | 'not-a-test';

export interface TestRun {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  /** null when unknown or when the process was killed. A pipeline may mask it. */
  readonly exitCode: number | null;
  /** Resolves project names in the command; absent when the project is unknown. */
  readonly scripts?: ScriptLookup;
}

/** The project's own names for commands. `folder` is relative to where the command starts. */
export interface ScriptLookup {
  /** Text of a script of `package.json` (npm, pnpm, yarn, bun); null when there is none. */
  readonly packageScript: (folder: string, name: string) => string | null;
  /** Recipe of a make target; null when there is none. */
  readonly makeTarget: (folder: string, name: string) => string | null;
}

export interface TestResult {
  readonly outcome: TestOutcome;
  /** Detector that decided, e.g. `vitest`; null without one. */
  readonly framework: string | null;
  /** Tests, added up over all runs in the output; null when the output does not say. */
  readonly passed: number | null;
  readonly failed: number | null;
  /** 0…1: how certain. From {@link DECISIVE} on, the caller may act on it. */
  readonly confidence: number;
  /** The line of output, or the fact, that decided. */
  readonly evidence: string;
}

/** Below this a result is a hint: it causes no roll-back, the check is run again instead. */
export const DECISIVE = 0.9;
