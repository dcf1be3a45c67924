import { closeSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isWithin } from '../files/files-inside.ts';
import { isFolderSync, isThereSync, namesInSync, readTextSync, realPathSync } from '../files/sync.ts';

/** Variables that make a program on the host load or start what they name. */
const LOADS_CODE =
  /^(NODE_OPTIONS|BASH_ENV|ENV|LD_PRELOAD|LD_LIBRARY_PATH|PERL5LIB|PERL5OPT|PYTHONPATH|PYTHONSTARTUP|RUBYOPT|RUBYLIB|GIT_(EXEC_PATH|SSH|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|PAGER|EDITOR|SEQUENCE_EDITOR|PROXY_COMMAND|TEMPLATE_DIR|CONFIG|CONFIG_GLOBAL|CONFIG_SYSTEM)|SSH_ASKPASS|EDITOR|VISUAL|PAGER)$/;

/** What was left out so far, for a notice in the run. */
const leftOut = new Set<string>();
/** The folders whose work trees were left out. */
const folders = new Set<string>();

/**
 * Removes from `env` everything that would make the host find a program in, or load code from, the repository that
 * `dir` is in: entries of PATH that are relative or lie in one of its work trees (`npm run` puts `node_modules/.bin`
 * first), and variables such as BASH_ENV that name a file there. An agent writes to these places, and what is found
 * there would run on the host. Must be called before the first program is started; {@link leftOutOfEnvironment} returns what
 * was removed.
 */
export function leaveOutWorkTree(env: Record<string, string | undefined>, dir: string): void {
  folders.add(dir);
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

/** Whether a path is in, or leads into, a work tree that {@link leaveOutWorkTree} left out. */
export function isLeftOut(path: string): boolean {
  return [...folders].some((dir) => inWorkTreesOf(dir)(path));
}

/** Returns a test whether an absolute path is in, or leads into, a work tree of the repository that `dir` is in. */
export function inWorkTreesOf(dir: string): (path: string) => boolean {
  const roots = workTreesAround(dir);
  return (path) => roots.some((root) => [path, realPathSync(path)].some((one) => isWithin(one, root)));
}

/** Adds something that leads into the work tree and is not used to what {@link leftOutOfEnvironment} reports. */
export function alsoLeftOut(what: string): void {
  leftOut.add(what);
}

/** Variables and PATH entries that {@link leaveOutWorkTree} removed in this process, and similar items. */
export function leftOutOfEnvironment(): readonly string[] {
  return [...leftOut];
}

/**
 * The work tree that a folder is in, then the repository's main one (possibly the same) and all linked ones; links
 * resolved. Empty outside a repository. Works without git, which is looked up only once this is known.
 */
export function workTreesAround(dir: string): readonly string[] {
  for (let folder = realPathSync(dir); ; folder = dirname(folder)) {
    const dotGit = join(folder, '.git');
    if (isThereSync(dotGit)) return [folder, ...siblings(isFolderSync(dotGit) ? dotGit : commonDirOf(dotGit))];
    if (folder === dirname(folder)) return [];
  }
}

/** The repository's git dir for a linked work tree, whose `.git` is a file. */
function commonDirOf(dotGit: string): string {
  const named = /^gitdir: (.*)$/m.exec(readTextSync(dotGit) ?? '')?.[1]?.trim() ?? '';
  const gitDir = resolve(dirname(dotGit), named);
  return resolve(gitDir, readTextSync(join(gitDir, 'commondir'))?.trim() || '.');
}

function siblings(commonDir: string): readonly string[] {
  const linked = namesInSync(join(commonDir, 'worktrees'))
    .map((name) => (readTextSync(join(commonDir, 'worktrees', name, 'gitdir')) ?? '').trim())
    .filter((file) => file !== '');
  return [commonDir, ...linked].map((path) => realPathSync(dirname(path)));
}

/** Number of the last standard stream. */
const LAST_STREAM = 2;

/** O_CLOEXEC, as Linux shows it. */
const CLOSED_AT_EXEC = 0o2000000;

/**
 * Closes the files, apart from the standard streams, that this process inherited and would pass on to the programs it
 * starts: through an open folder of the host a program inside could reach the whole host. Node closes only the first
 * few (`uv_disable_stdio_inheritance`). Files that this process opened itself are closed at exec, and stay. Linux only;
 * elsewhere nothing is done.
 */
export function closeInheritedFiles(): void {
  for (const file of namesInSync('/proc/self/fd').map(Number).filter(isInherited)) closeSync(file);
}

function isInherited(file: number): boolean {
  if (file <= LAST_STREAM) return false;
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_AT_EXEC) === 0;
  } catch {
    // The descriptor of the listing itself, which is closed by now.
    return false;
  }
}
