import type { CommandNode, Function as FunctionNode, ParsedScript } from 'unbash';
import type { GuardContext, Input, Redirect, SimpleCommand, Text, Word } from '../api.ts';
import { pathOf } from '../paths.ts';
import { concat, constant, EMPTY, isKnown, UNKNOWN_TEXT, wordOf } from '../words.ts';

/** The known part of standard input. The commands of a group share it: what `read` consumes is gone for the next. */
interface Stdin {
  rest: Text;
}

/** Where a piece of shell runs: what it knows, its input, and what reads its output. */
export interface Frame {
  readonly runner: Runner;
  readonly scope: Scope;
  readonly via: readonly string[];
  readonly input: Input;
  readonly stdin: Stdin | null;
  readonly pipesTo: string | null;
  /** Whether a later member of the pipeline is a shell, which runs what comes out of it. */
  readonly feedsShell: boolean;
  /** The text that the positions of the syntax tree point into. */
  readonly source: string;
}

/** Why a text could not be judged command by command. */
export type GaveUp = 'unparsable' | 'too-long' | 'fault';

/** What the whole walk shares. It spares the parts importing one another. */
export interface Runner {
  readonly context: GuardContext;
  /** Counts the work ahead, in commands or words; false when the text has exhausted its budget. */
  readonly step: (cost?: number) => boolean;
  readonly emit: (command: SimpleCommand) => void;
  /** Does a part of the work; if it fails, the rest continues, and the text counts as not fully checked. */
  readonly attempt: (work: () => Text) => Text;
  readonly note: (unresolved: string) => void;
  readonly giveUp: (why: GaveUp) => void;
  /** Parses and walks shell text. Returns its output. */
  readonly runText: (text: string, frame: Frame) => Text;
  readonly runScript: (script: ParsedScript, frame: Frame) => Text;
  readonly runNode: (node: CommandNode, frame: Frame) => Text;
}

export const INHERITED: Input = { kind: 'inherited' };

/** The frame for a command that reads this text. */
export function reading(input: Text, frame: Frame): Frame {
  const { text, from } = input;
  const kind: Input = from === null || isKnown(input) ? { kind: 'text', text } : { kind: 'pipe', from };
  return { ...frame, input: kind, stdin: { rest: input } };
}

/** A variable: one value, or the elements of an array. */
export type Value = readonly Text[];

interface ShellFunction {
  readonly node: FunctionNode;
  /** The text that the node's positions point into. */
  readonly source: string;
}

/** What a shell knows during the walk. */
export interface Scope {
  readonly variables: Map<string, Value | null>;
  readonly functions: Map<string, ShellFunction>;
  readonly aliases: Map<string, string>;
  /** The content of files written earlier in the text, by absolute path. One file system: shared with subshells. */
  readonly files: Map<string, Text>;
  /** The reader of a written file: the programs of `>(…)`, by the substitution's file name. Shared as well. */
  readonly readers: Map<string, (written: Text) => void>;
  positional: Value;
  cwd: string | null;
  previousCwd: string | null;
}

export function createScope(context: GuardContext): Scope {
  return {
    variables: new Map(Object.entries(usualVariables(context)).map(([name, text]) => [name, [constant(text)]])),
    functions: new Map(),
    aliases: new Map(),
    files: new Map(),
    readers: new Map(),
    positional: [],
    cwd: context.cwd,
    previousCwd: null,
  };
}

/** A subshell: it knows what the shell around it knows, and changes nothing there but files. */
export function subScope(scope: Scope, positional: Value = scope.positional): Scope {
  const { variables, functions, aliases } = scope;
  return {
    ...scope,
    variables: new Map(variables),
    functions: new Map(functions),
    aliases: new Map(aliases),
    positional,
  };
}

/** A variable's value; null when unknown, `[]` when known to be unset. */
export function lookUp(scope: Scope, name: string): Value | null {
  return scope.variables.get(name) ?? null;
}

export function assign(scope: Scope, name: string, value: Value | null): void {
  scope.variables.set(name, value);
}

export function changeFolder(scope: Scope, cwd: string | null): void {
  scope.previousCwd = scope.cwd;
  scope.cwd = cwd;
  assign(scope, 'OLDPWD', scope.previousCwd === null ? [UNKNOWN_TEXT] : [constant(scope.previousCwd)]);
  assign(scope, 'PWD', cwd === null ? [UNKNOWN_TEXT] : [constant(cwd)]);
}

/** Variables with well-known values, so that `${HOME:0:1}` and `$SHELL -c` hide nothing. */
function usualVariables(context: GuardContext): Readonly<Record<string, string>> {
  const { home, cwd, root, temp } = context;
  const user = home.slice(home.lastIndexOf('/') + 1);
  return {
    HOME: home,
    PWD: cwd,
    TMPDIR: temp[0] ?? '/tmp',
    USER: user,
    // Not its value, but enough to tell whose process or group a signal is for.
    $: '$$',
    LOGNAME: user,
    SHELL: '/bin/bash',
    BASH: '/bin/bash',
    IFS: ' \t\n',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_DATA_HOME: `${home}/.local/share`,
    CLAUDE_PROJECT_DIR: root,
  };
}

/**
 * Something that a program runs because of its arguments, its input or its files. `via` is the carrier's name in
 * messages; empty when the carrier has already been named.
 */
export type Nested =
  | {
      /** Another program with its arguments: `sudo rm x`, or the equivalent of a line of Python. */
      readonly kind: 'argv';
      readonly via: string;
      readonly words: readonly Word[];
      readonly redirects?: readonly Redirect[];
      /** Where it runs, if not in the folder of its carrier; null: unknown. */
      readonly cwd?: string | null;
      /** In a new container, see `UNMOUNTED`. */
      readonly isApart?: boolean;
    }
  | {
      readonly kind: 'shell';
      readonly via: string;
      readonly code: Text;
      /** `$0`, if a word sets it. */
      readonly zero?: Word;
      /** `$1`, `$2`, … */
      readonly args?: readonly Word[];
      /** `here`: the current shell (`eval`); `child`: a child shell; `elsewhere`: another machine, a container. */
      readonly where: 'here' | 'child' | 'elsewhere';
      /** The text comes from standard input, so commands in it read nothing known. */
      readonly fromInput?: boolean;
    }
  | {
      readonly kind: 'language';
      readonly via: string;
      readonly language: string;
      readonly code: Text;
    };

export function nestedArgv(
  via: string,
  words: readonly Word[],
  more: Partial<Extract<Nested, { kind: 'argv' }>> = {},
): Nested {
  return { kind: 'argv', via, words, ...more };
}

type NestedShell = Partial<Extract<Nested, { kind: 'shell' }>>;

/** Shell text that runs in a child shell, unless `more` says otherwise. */
export function nestedShell(via: string, code: Text | string, more: NestedShell = {}): Nested {
  return { kind: 'shell', via, code: typeof code === 'string' ? constant(code) : code, where: 'child', ...more };
}

/** The same for text that may not be known; nothing runs then. */
export function nestedShellIf(via: string, code: Text | null, more: NestedShell = {}): readonly Nested[] {
  return code === null ? [] : [nestedShell(via, code, more)];
}

/** A file that is written, as the redirection of a command that prints nothing. */
export function nestedWrite(via: string, file: Word): Nested {
  return nestedArgv(via, [wordOf('printf')], { redirects: [{ operator: '>', descriptor: null, target: file }] });
}

/** Follows a shell in `via` when part of its text is another command's output. */
export const GENERATED = 'generated text';

/** Follows a new container in `via` that has no folder of this machine: what is deleted there is gone anyway. */
export const UNMOUNTED = 'nothing mounted';

/** What a carrier may ask about. */
export interface Surroundings {
  readonly context: GuardContext;
  /** What the command reads on standard input; null when inherited. */
  readonly stdin: Text | null;
  /** Whether a shell runs its output. */
  readonly feedsShell: boolean;
  /** What was written to a file earlier in the text; null when nothing was. */
  readonly fileText: (file: Word) => Text | null;
  /** All of these files, by absolute path. */
  readonly files: ReadonlyMap<string, Text>;
}

/** Finds what a command runs. Must not throw. */
export type Carrier = (command: SimpleCommand, around: Surroundings) => readonly Nested[];

/** What the text itself wrote to a file earlier. */
export function fileText(file: Word, { scope, runner }: Frame): Text | null {
  const path = pathOf(file, scope, runner.context);
  return path === null ? null : (scope.files.get(path) ?? null);
}

/** Records what a file holds from now on, and passes it to a program that waits to read it. */
export function rememberFile(file: Word, text: Text, append: boolean, frame: Frame): void {
  const path = pathOf(file, frame.scope, frame.runner.context);
  if (path !== null) frame.scope.readers.get(path)?.(text);
  if (path === null || !isKnown(file) || path.startsWith('/dev/')) return;
  const before = append ? (frame.scope.files.get(path) ?? EMPTY) : EMPTY;
  frame.scope.files.set(path, concat([before, text]));
}
