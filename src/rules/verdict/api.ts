/** Test verdicts: was this command a test run, and how did it end? Pure over its text, output and exit code. */

export type TestOutcome = 'pass' | 'fail' | 'error' | 'no-tests' | 'not-a-test';

export interface TestRun {
  /** As it was given to the shell. */
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  /** null when it is not known or the process was killed. A pipeline may mask it. */
  readonly exitCode: number | null;
  /** Resolves what a command only names; absent when nothing is known about the project. */
  readonly scripts?: ScriptLookup;
}

/** The project's own names for commands. `folder` is relative to where the command starts. */
export interface ScriptLookup {
  /** Text of a script of `package.json` (npm, pnpm, yarn, bun); null when there is none. */
  readonly packageScript: (folder: string, name: string) => string | null;
  /** Recipe of a make target; null when there is none. */
  readonly makeTarget: (folder: string, name: string) => string | null;
}

export interface TestVerdict {
  readonly outcome: TestOutcome;
  /** Detector that decided, e.g. `vitest`; null when none did. */
  readonly framework: string | null;
  /** Tests, summed over all runs in the output; null when the output does not say. */
  readonly passed: number | null;
  readonly failed: number | null;
  /** 0…1: how sure. From {@link DECISIVE} on, something may be done about it. */
  readonly confidence: number;
  /** The line of output, or the fact, that decided. */
  readonly evidence: string;
}

/** Below this a verdict is a hint: nothing is rolled back for it, the check is run again instead. */
export const DECISIVE = 0.9;
