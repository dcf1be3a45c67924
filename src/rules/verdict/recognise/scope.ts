import type { CommandNode, CompoundList, Statement } from 'unbash';
import type { ScriptLookup } from '../api.ts';
import { MASKED, type Meaning } from './meaning.ts';
import type { Echo, TestRunStep } from './recognition.ts';

/** A step while its command is read: what it prints to a file may still be shown later. */
export type OpenStep = { -readonly [Key in keyof TestRunStep]: TestRunStep[Key] };

/** All that is found in one command line, shells within shells included. */
export interface Walk {
  readonly steps: OpenStep[];
  readonly echoes: Echo[];
  /** Files that the output of steps goes to. */
  readonly files: Map<string, readonly OpenStep[]>;
  /** Where other programs show what may be an older run's words: before the runs, after one of them. */
  shown: ReadonlySet<'before' | 'after'>;
  readonly scripts: ScriptLookup | undefined;
  /** Simple commands that may still be looked at: scripts can call themselves. */
  budget: number;
}

/** Any part of a command line that has a status. */
export type Node = Statement['command'] | CommandNode | CompoundList;

/** One shell: what earlier commands of it mean to later ones. */
export interface Shell {
  /** `$?`. */
  last: Meaning;
  /** `${PIPESTATUS[…]}`. */
  pipe: readonly Meaning[];
  /** Variables that hold an exit code: `rc=$?`. */
  readonly codes: Map<string, Meaning>;
  readonly functions: Map<string, Node>;
  pipefail: boolean;
  errexit: boolean;
  /** What the shell must have passed to get here: `a || exit 1`, `set -e`. */
  gates: Meaning;
  /** Relative to where the command started; null when that is not known. */
  folder: string | null;
}

/** Where in a shell a command stands. */
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

/** A shell of its own that starts like this one. */
export function subshell({ shell, ...scope }: Scope, changes: Partial<Pick<Shell, 'folder' | 'errexit'>> = {}): Scope {
  return { shell: { ...shell, codes: new Map(shell.codes), gates: MASKED, ...changes }, ...scope };
}

const LEAST_FIRST: readonly TestRunStep['seen'][] = ['nothing', 'start', 'part', 'all'];

/** The less that is seen of two. */
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
