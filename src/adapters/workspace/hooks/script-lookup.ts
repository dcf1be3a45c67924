import { resolve } from 'node:path';
import { readTextSync } from '../../../platform/files/files-sync.ts';
import type { ScriptLookup } from '../../../rules/verdict/api.ts';

/** In the order in which GNU make looks for them. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
/** Larger ones are generated, and reading them would hold up the agent. */
const MOST_BYTES = 1024 * 1024;

/**
 * The project's own names for commands, read when they are asked for.
 * @param starts absolute folders in which the command may have started, likeliest first: at the end of `cd sub && npm
 * test` the client reports `sub`, so that the path in the command leads nowhere from there
 */
export function scriptLookup(...starts: readonly string[]): ScriptLookup {
  const first = <T>(folder: string, find: (path: string) => T | null): T | null => {
    for (const start of starts) {
      const found = find(resolve(start, folder.replaceAll('\0', '')));
      if (found !== null) return found;
    }
    return null;
  };
  return {
    packageScript: (folder, name) => first(folder, (path) => packageScript(path, name)),
    makeTarget: (folder, name) => first(folder, (path) => makeTarget(path, name)),
  };
}

function packageScript(folder: string, name: string): string | null {
  try {
    const { scripts } = JSON.parse(readTextSync(`${folder}/package.json`, MOST_BYTES) ?? 'null') ?? {};
    const script: unknown = Object.hasOwn(scripts ?? {}, name) ? scripts[name] : null;
    return typeof script === 'string' ? script : null;
  } catch {
    return null;
  }
}

function makeTarget(folder: string, name: string): string | null {
  for (const file of MAKEFILES) {
    const text = readTextSync(`${folder}/${file}`, MOST_BYTES);
    if (text !== null)
      return recipeOf(text.replace(/(?:(?<![ \t])[ \t]+)?\\\r?\n[ \t]*/g, ' ').split(/\r?\n/), name, new Set());
  }
  return null;
}

/** The commands of a target and of those it depends on, in the order in which make runs them; null without any. */
function recipeOf(lines: readonly string[], target: string, seen: Set<string>): string | null {
  if (seen.has(target)) return null;
  seen.add(target);
  const commands: string[] = [];
  for (const [at, line] of lines.entries()) {
    const [, targets, rest] = /^([^\s#:=][^#:=]*)::?(?!=)(.*)$/.exec(line) ?? [];
    if (targets === undefined || rest === undefined || !targets.split(/\s+/).includes(target)) continue;
    const [prerequisites = '', ...inline] = rest.split(';');
    for (const name of prerequisites.split(/\s+/)) {
      const recipe = name === '' ? null : recipeOf(lines, name, seen);
      if (recipe !== null) commands.push(recipe);
    }
    commands.push(plainCommand(inline.join(';')));
    for (let next = at + 1; lines[next]?.startsWith('\t'); next++) commands.push(plainCommand(lines[next] ?? ''));
  }
  const text = commands.filter((command) => command !== '').join('\n');
  return text === '' ? null : text;
}

/** Without make's own marks (silent, go on after errors, run always), and with its `$$` as the shell sees it. */
function plainCommand(line: string): string {
  return line
    .trim()
    .replace(/^[@+-]+\s*/, '')
    .replaceAll('$$', '$');
}
