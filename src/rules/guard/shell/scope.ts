import type { Function as FunctionNode } from 'unbash';
import type { GuardContext } from '../api.ts';
import { constant, type Text, UNKNOWN_TEXT } from './text.ts';

/** A variable: one value, or the elements of an array. */
export type Value = readonly Text[];

export interface ShellFunction {
  readonly node: FunctionNode;
  /** The text that the node's positions point into. */
  readonly source: string;
}

/** What a shell knows while a text is walked. Subshells look through to the shell around them, and change only their own. */
export interface Scope {
  readonly parent: Scope | null;
  readonly variables: Map<string, Value | null>;
  readonly functions: Map<string, ShellFunction>;
  readonly aliases: Map<string, string>;
  /** What was written to a file earlier in the text, by absolute path. One file system: shared with subshells. */
  readonly files: Map<string, Text>;
  /** What reads a file that is written: the programs of `>(…)`, by the name that the substitution got. Shared as well. */
  readonly readers: Map<string, (written: Text) => void>;
  positional: Value;
  cwd: string | null;
  previousCwd: string | null;
}

export function createScope(context: GuardContext): Scope {
  return {
    parent: null,
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

/** A subshell: sees everything, changes nothing outside. */
export function subScope(scope: Scope, positional: Value = scope.positional): Scope {
  return { ...scope, parent: scope, variables: new Map(), functions: new Map(), aliases: new Map(), positional };
}

/** A variable's value; null when nothing is known of it. `[]` when it is known to be unset. */
export function lookUp(scope: Scope, name: string): Value | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const value = at.variables.get(name);
    if (value !== undefined) return value;
  }
  return null;
}

export function assign(scope: Scope, name: string, value: Value | null): void {
  scope.variables.set(name, value);
}

export function findFunction(scope: Scope, name: string): ShellFunction | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const found = at.functions.get(name);
    if (found !== undefined) return found;
  }
  return null;
}

export function findAlias(scope: Scope, name: string): string | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const found = at.aliases.get(name);
    if (found !== undefined) return found;
  }
  return null;
}

export function changeFolder(scope: Scope, cwd: string | null): void {
  scope.previousCwd = scope.cwd;
  scope.cwd = cwd;
  assign(scope, 'OLDPWD', scope.previousCwd === null ? [UNKNOWN_TEXT] : [constant(scope.previousCwd)]);
  assign(scope, 'PWD', cwd === null ? [UNKNOWN_TEXT] : [constant(cwd)]);
}

/** Variables whose values everybody can tell, so that `${HOME:0:1}` and `$SHELL -c` hide nothing. */
function usualVariables(context: GuardContext): Readonly<Record<string, string>> {
  const { home, cwd, root, temp } = context;
  const user = home.slice(home.lastIndexOf('/') + 1);
  return {
    HOME: home,
    PWD: cwd,
    TMPDIR: temp[0] ?? '/tmp',
    USER: user,
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
