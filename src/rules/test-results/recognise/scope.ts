import type { CommandNode, CompoundList, Statement } from 'unbash';
import type { ScriptLookup } from '../api.ts';

/** A command, or a part of one, that runs tests or may run some. */
export interface TestRunStep {
  readonly source: string;
  /** `test`: it runs tests. `maybe`: only its output can show it. */
  readonly certainty: 'test' | 'maybe';
  readonly framework: string | null;
  /**
   * How much of its output is shown: `part` through `tail` or `grep`, `start` when `head` cut its end off, `nothing`
   * when it goes to a file.
   */
  readonly seen: 'all' | 'part' | 'start' | 'nothing';
  /** A name of the project (a script, a target) stands for it: its output may show what it really runs. */
  readonly named: boolean;
  /** It may run many times: in a loop, or by `xargs`. */
  readonly repeated: boolean;
}

/** A line that the command prints to report how an earlier part ended. */
export interface Echo {
  /** Its first group, if any, is the exit code. */
  readonly line: RegExp;
  /** The meaning of a line without a code: the status was 0, or was not. */
  readonly says: 'code' | 'zero' | 'not-zero';
  readonly about: Meaning;
}

export interface Recognition {
  readonly steps: readonly TestRunStep[];
  /** For the exit code of the whole command. */
  readonly exit: Meaning;
  readonly echoes: readonly Echo[];
  /** Other programs print into the same output: a displayed log, a linter. */
  readonly mixed: boolean;
  /** Which of the displayed summaries is the single run's own, when others are on one side only; else null. */
  readonly ownWords: 'first' | 'last' | null;
}

/**
 * What an exit code shows about the test runs in a command. Runs are identified by number. `a && b`, pipes, `|| true`
 * and `; echo done` decide whose status it is.
 */
export interface Meaning {
  /** Runs that certainly succeeded when the code is 0. */
  readonly proves: ReadonlySet<number>;
  /** Runs that may have failed when it is not 0. */
  readonly blames: ReadonlySet<number>;
  /** Something else may have failed: a build before the tests, a linter after them. */
  readonly others: boolean;
  /** `!` precedes it: 0 means failed. */
  readonly inverted: boolean;
}

const NONE: ReadonlySet<number> = new Set();

/** Shows nothing about any run. */
export const MASKED: Meaning = { proves: NONE, blames: NONE, others: false, inverted: false };
/** The status of another program. */
export const OTHER: Meaning = { ...MASKED, others: true };

/** The status of the run itself. */
export function ofRun(run: number): Meaning {
  return { ...MASKED, proves: new Set([run]), blames: new Set([run]) };
}

/** 0 only when both are 0: `a && b`, `set -e`, `pipefail`. */
export function both(a: Meaning, b: Meaning): Meaning {
  if (a.inverted || b.inverted) return { ...OTHER, blames: union(a.blames, b.blames) };
  return {
    proves: union(a.proves, b.proves),
    blames: union(a.blames, b.blames),
    others: a.others || b.others,
    inverted: false,
  };
}

/** 0 when one of them is 0: it proves only what both prove. */
export function either(a: Meaning, b: Meaning): Meaning {
  return {
    proves: new Set([...a.proves].filter((run) => b.proves.has(run))),
    blames: union(a.blames, b.blames),
    others: a.others || b.others,
    inverted: false,
  };
}

export function inverse(a: Meaning): Meaning {
  return { ...a, inverted: !a.inverted };
}

export function tells(meaning: Meaning): boolean {
  return meaning.proves.size + meaning.blames.size > 0;
}

function union(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  return b.size === 0 ? a : new Set([...a, ...b]);
}

/** A step while its command is read: output to a file may still be displayed later. */
type OpenStep = { -readonly [Key in keyof TestRunStep]: TestRunStep[Key] };

export interface Walk {
  readonly steps: OpenStep[];
  readonly echoes: Echo[];
  /** Files that receive the output of steps. */
  readonly files: Map<string, readonly OpenStep[]>;
  /** Text of the files that the command itself writes. */
  readonly written: Map<string, string>;
  /** Where other programs display what may be an older run's output: before the runs, after one of them. */
  shown: ReadonlySet<'before' | 'after'>;
  readonly scripts: ScriptLookup | undefined;
  /** Reads a text as a shell would: scripts contain commands, and commands contain scripts. */
  readonly read: (text: string, scope: Scope) => Meaning;
  /** Simple commands that may still be examined: scripts can call themselves. */
  budget: number;
}

/** Any part of a command line that has a status. */
export type Node = Statement['command'] | CommandNode | CompoundList;

/** One shell: the effects of its earlier commands on later ones. */
interface Shell {
  /** `$?`. */
  last: Meaning;
  /** `${PIPESTATUS[…]}`. */
  pipe: readonly Meaning[];
  /** Variables that hold an exit code: `rc=$?`. */
  readonly codes: Map<string, Meaning>;
  readonly functions: Map<string, Node>;
  pipefail: boolean;
  errexit: boolean;
  /** The conditions that hold if the shell gets here: `a || exit 1`, `set -e`. */
  gates: Meaning;
  /** Relative to where the command started; null when unknown. */
  folder: string | null;
}

export interface Scope {
  readonly shell: Shell;
  readonly seen: TestRunStep['seen'];
  readonly repeated: boolean;
  /** The condition under which this part runs. */
  readonly when: { readonly about: Meaning; readonly says: 'zero' | 'not-zero' } | null;
}

export function newScope(): Scope {
  const shell = {
    last: MASKED,
    pipe: [],
    codes: new Map(),
    functions: new Map(),
    pipefail: false,
    errexit: false,
    gates: MASKED,
    folder: '.',
  };
  return { shell, seen: 'all', repeated: false, when: null };
}

/** A new shell that starts with this one's state. */
export function subshell({ shell, ...scope }: Scope, changes: Partial<Pick<Shell, 'folder' | 'errexit'>> = {}): Scope {
  return { shell: { ...shell, codes: new Map(shell.codes), gates: MASKED, ...changes }, ...scope };
}

/** The status that a text like `$?` or `$rc` means. */
export function codeIn(text: string, { shell }: Scope): Meaning | null {
  if (/^\$(?:\?|\{\?\})$/.test(text)) return shell.last;
  const pipe = /^\$\{?PIPESTATUS(?:\[(\d)\])?\}?$/.exec(text);
  if (pipe !== null) return shell.pipe[Number(pipe[1] ?? 0)] ?? null;
  const variable = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(text)?.[1];
  return variable === undefined ? null : (shell.codes.get(variable) ?? null);
}

const LEAST_FIRST: readonly TestRunStep['seen'][] = ['nothing', 'start', 'part', 'all'];

/** The smaller of two visible amounts. */
export function lessSeen(a: TestRunStep['seen'], b: TestRunStep['seen']): TestRunStep['seen'] {
  return LEAST_FIRST.find((each) => each === a || each === b) ?? 'all';
}

/** `to`, as `cd` would resolve it from `from`. */
export function folderFrom(from: string | null, to: string): string | null {
  if (to === '' || to === '-' || /[$~*?`]/.test(to)) return null;
  if (to.startsWith('/')) return to;
  if (from === null) return null;
  const parts: string[] = [];
  for (const part of `${from}/${to}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return `${from.startsWith('/') ? '/' : ''}${parts.join('/')}` || '.';
}
