import type { Meaning } from './meaning.ts';

/** A command, or a part of it, that runs tests or may run some. */
export interface TestRunStep {
  /** Its words, for messages. */
  readonly source: string;
  /** `test`: it runs tests. `maybe`: only its output can tell. */
  readonly certainty: 'test' | 'maybe';
  readonly framework: string | null;
  /**
   * How much of its output is in the output: `part` through `tail` or `grep`, `start` when `head` took its end away,
   * `nothing` when it goes to a file.
   */
  readonly seen: 'all' | 'part' | 'start' | 'nothing';
  /** A name of the project stands for it: its output may tell what it really runs. */
  readonly named: boolean;
  /** It may run many times: in a loop, by `xargs`. */
  readonly repeated: boolean;
}

/** A line that the command prints to tell how something before it ended. */
export interface Echo {
  /** Its first group, if any, is the exit code. */
  readonly line: RegExp;
  /** What the line says when it has no code: what it is about was 0, or was not. */
  readonly says: 'code' | 'zero' | 'not-zero';
  readonly about: Meaning;
}

export interface Recognition {
  readonly steps: readonly TestRunStep[];
  /** Of the exit code of the whole command. */
  readonly exit: Meaning;
  readonly echoes: readonly Echo[];
  /** Other programs print into the same output: a log that is shown, a linter. */
  readonly mixed: boolean;
  /** Which of the words that are shown are those of the one run, when others stand on one side only; else null. */
  readonly ownWords: 'first' | 'last' | null;
}
