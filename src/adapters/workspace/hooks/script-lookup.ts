import { dirname, resolve } from 'node:path';
import { isThereSync, readTailSync, readTextSync, realPathSync, sizeSync } from '../../../platform/index.ts';
import type { PathFacts } from '../../../rules/hooks/index.ts';
import type { ScriptLookup } from '../../../rules/test-results/index.ts';

/** In GNU make's search order. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
/** Larger ones are generated, and reading them would hold up the agent. */
const MOST_BYTES = 1024 * 1024;

/**
 * The project's own names for commands, read on demand.
 * @param starts absolute folders in which the command may have started, likeliest first: at the end of `cd sub && npm
 * test` the client reports `sub`, so that the path in the command does not exist from there
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

/** The commands of a target and of its dependencies, in the order make runs them; null when there are none. */
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

/** Without make's own prefixes (silent, ignore errors, always run), and with its `$$` as the shell sees it. */
function plainCommand(line: string): string {
  return line
    .trim()
    .replace(/^[@+-]+\s*/, '')
    .replaceAll('$$', '$');
}

/** Look-ups in the real file system, for hook decisions. */
export const pathFacts: PathFacts = {
  resolve: (path, cwd) => slashed(realPathSync(resolve(cwd, withoutNul(path)))),
  exists: (path) => isThereSync(path),
  readText: (path) => readTextSync(path),
  readTail: readTailSync,
  sizeOf: sizeSync,
};

/** No file has one in its name, and Node refuses such a path. */
function withoutNul(path: string): string {
  return path.replaceAll('\0', '');
}

/** Rules know only one separator. */
function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

/** The work tree that contains a folder (`.git` is a file in linked ones); without one, the folder itself. */
export function projectRoot(folder: string): string {
  const start = realPathSync(resolve(folder.replaceAll('\0', '')));
  // No folder has such a long name, and checking each of its parents would take too long.
  if (start.length > 4096) return '/';
  for (let at = start; ; at = dirname(at)) {
    if (isThereSync(`${at}/.git`)) return at;
    if (at === dirname(at)) return start;
  }
}
