import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Variables by which a program of the host would load or start what they name. */
const LOADS_CODE =
  /^(NODE_OPTIONS|BASH_ENV|ENV|LD_PRELOAD|LD_LIBRARY_PATH|PERL5LIB|PERL5OPT|PYTHONPATH|PYTHONSTARTUP|RUBYOPT|RUBYLIB|GIT_(EXEC_PATH|SSH|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|PAGER|EDITOR|SEQUENCE_EDITOR|PROXY_COMMAND|TEMPLATE_DIR|CONFIG|CONFIG_GLOBAL|CONFIG_SYSTEM)|SSH_ASKPASS|EDITOR|VISUAL|PAGER)$/;

/** What was left out so far, for the notice of a run. */
const leftOut = new Set<string>();

/**
 * Takes out of `env` everything by which a program of the host would be found in, or load code from, the repository
 * that `dir` is in: entries of PATH that are relative or lie in one of its work trees (`npm run` puts
 * `node_modules/.bin` first), and variables such as BASH_ENV that name a file there. An agent writes to these places,
 * and what is found there would run on the host. To be called before the first program is started; what was left out
 * is told by {@link whatWasLeftOut}.
 */
export function leaveOutWorkTree(env: Record<string, string | undefined>, dir: string): void {
  const inTree = inWorkTreesOf(dir);
  const path = env['PATH'];
  if (path !== undefined) {
    const kept = path.split(':').filter((entry) => {
      if (entry !== '' && isAbsolute(entry) && !inTree(entry)) return true;
      leftOut.add(`PATH: ${entry === '' ? '(empty, the current folder)' : entry}`);
      return false;
    });
    env['PATH'] = kept.join(':');
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !LOADS_CODE.test(name)) continue;
    const places = value.split(/[\s=:;,'"]+/).filter((word) => word.includes('/'));
    if (!places.some((place) => inTree(resolve(dir, place)))) continue;
    leftOut.add(name);
    delete env[name];
  }
}

/** Tells of an absolute path whether it is, or leads, into a work tree of the repository that `dir` is in. */
export function inWorkTreesOf(dir: string): (path: string) => boolean {
  const roots = workTreesAround(dir);
  return (path) => roots.some((root) => [path, realOf(path)].some((one) => isBelow(one, root)));
}

/** To be told with what {@link leaveOutWorkTree} took out: something else that leads into the work tree, and is not used. */
export function alsoLeftOut(what: string): void {
  leftOut.add(what);
}

/** Variables and entries of PATH that {@link leaveOutWorkTree} took out in this process, and the like. */
export function whatWasLeftOut(): readonly string[] {
  return [...leftOut];
}

/**
 * The work tree that a folder is in, then the main one of that repository (which may be the same) and all linked ones;
 * links resolved. Empty outside of a repository. Without git, which is looked for only when this is known.
 */
export function workTreesAround(dir: string): readonly string[] {
  for (let folder = realOf(dir); ; folder = dirname(folder)) {
    const dotGit = join(folder, '.git');
    const kind = kindOf(dotGit);
    if (kind !== null) return [folder, ...siblings(kind === 'dir' ? dotGit : commonDirOf(dotGit))];
    if (folder === dirname(folder)) return [];
  }
}

/** Of a linked work tree, whose `.git` is a file: the git dir of the repository. */
function commonDirOf(dotGit: string): string {
  const named = /^gitdir: (.*)$/m.exec(textOf(dotGit))?.[1]?.trim() ?? '';
  const gitDir = resolve(dirname(dotGit), named);
  return resolve(gitDir, textOf(join(gitDir, 'commondir')).trim() || '.');
}

function siblings(commonDir: string): readonly string[] {
  const linked = namesIn(join(commonDir, 'worktrees'))
    .map((name) => textOf(join(commonDir, 'worktrees', name, 'gitdir')).trim())
    .filter((file) => file !== '');
  return [commonDir, ...linked].map((path) => realOf(dirname(path)));
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet: an agent may make it.
    return dirname(path) === path ? path : join(realOf(dirname(path)), path.slice(dirname(path).length));
  }
}

function kindOf(path: string): 'dir' | 'file' | null {
  try {
    return lstatSync(path).isDirectory() ? 'dir' : 'file';
  } catch {
    return null;
  }
}

function textOf(path: string): string {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
