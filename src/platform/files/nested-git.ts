import { readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { attempt } from './sync.ts';

/** What git opens to see what a nested repository has checked out, beside HEAD and the refs that it leads to. */
const OPENED = ['commondir', 'config', 'config.worktree', 'packed-refs', 'reftable/tables.list'];
/** Git reads most of them into memory. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Text that names another file. */
const MOST_TEXT = 4_096;
/** Git follows refs that name refs five levels deep. */
const DEEPEST = 5;

/**
 * Whether looking at a nested repository would hold git up for ever or fill the memory: git opens the files of its git
 * dir without looking at their type, and through links. A FIFO there waits for a writer; a device, or a file that the
 * kernel makes up (`/proc`), may have no end.
 * @param entry its `.git`, absolute, one character per byte
 */
export function isGitTrap(entry: string): boolean {
  const [dir, tree] = [gitDirOf(entry), look(dirname(entry))];
  if (dir === null) return false;
  const common = textAt(`${dir}/commondir`);
  const dirs = common === null ? [dir] : [dir, resolve(dir, common.trimEnd())];
  const disks = new Set([tree, ...dirs.map(look)].map((found) => found?.dev));
  const isTrap = (name: string) =>
    dirs.some((one) => {
      const found = look(`${one}/${name}`);
      const isPlain = found === null || found.isDirectory() || (found.isFile() && found.size <= MOST_BYTES);
      return !isPlain || (found !== null && !disks.has(found.dev));
    });
  if (OPENED.some(isTrap)) return true;
  let ref: string | undefined = 'HEAD';
  for (let depth = 0; depth <= DEEPEST && ref !== undefined; depth += 1) {
    if (isTrap(ref)) return true;
    const name: string = ref;
    const text = dirs.map((one) => textAt(`${one}/${name}`)).find((found) => found !== null);
    ref = /^ref:\s*(\S+)/.exec(text ?? '')?.[1];
  }
  return false;
}

/** A folder, or what a file there names; a link to one. */
function gitDirOf(entry: string): string | null {
  const found = look(entry);
  if (found?.isDirectory()) return entry;
  const named = /^gitdir: (.*?)[\r\n]*$/s.exec(textAt(entry) ?? '')?.[1];
  return named === undefined ? null : resolve(dirname(entry), named);
}

function look(path: string): Stats | null {
  return attempt(() => statSync(Buffer.from(path, 'latin1')));
}

/** The text of a short plain file. */
function textAt(path: string): string | null {
  const found = look(path);
  if (!found?.isFile() || found.size > MOST_TEXT) return null;
  return attempt(() => readFileSync(Buffer.from(path, 'latin1'), 'latin1'));
}
