import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What can become of a file. */
export const DAMAGES = [
  'missing',
  'empty',
  'truncated',
  'binary',
  'huge',
  'of a later version',
  'of another kind',
  'a folder',
  'a FIFO',
  'a dangling link',
  'an outward link',
  'unreadable',
] as const;

export type DamageName = (typeof DAMAGES)[number];

/** Where the original is kept, and what an outward link leads to. */
export interface Aside {
  readonly original: string;
  readonly precious: string;
}

const HUGE_BYTES = 40_000_000;

/**
 * Damages one path; the original moves aside first, so that nothing of the user's gets lost by the test itself.
 *
 * @param fraction where to cut a truncated file, 0 to 1
 */
export async function damage(path: string, name: DamageName, fraction: number, aside: Aside): Promise<void> {
  const bytes = await readFile(path).catch(() => null);
  await mkdir(dirname(aside.original), { recursive: true });
  await mkdir(dirname(path), { recursive: true });
  if (name === 'unreadable') return chmod(path, 0).catch(() => {});
  await rename(path, aside.original).catch(() => {});
  switch (name) {
    case 'missing':
      return;
    case 'empty':
      return writeFile(path, '');
    case 'truncated':
      await writeFile(path, bytes ?? 'x');
      return truncate(path, Math.floor((bytes?.length ?? 1) * fraction));
    case 'binary':
      return writeFile(
        path,
        Uint8Array.from({ length: 3_000 }, (_, at) => (at * 167 + 11) & 0xff),
      );
    case 'huge':
      return writeFile(path, Buffer.alloc(HUGE_BYTES, 'x'));
    case 'of a later version':
      return writeFile(path, laterVersion(bytes?.toString('utf8') ?? '{}'));
    case 'of another kind':
      return writeFile(path, '[1, "two", null]\n');
    case 'a folder':
      await mkdir(path);
      return writeFile(`${path}/inside.txt`, 'in the way\n');
    case 'a FIFO':
      execFileSync('mkfifo', [path]);
      return;
    case 'a dangling link':
      return symlink('nowhere/at/all', path);
    case 'an outward link':
      return symlink(aside.precious, path);
  }
}

/** The same with a version number from the future in every object that has one, else at the top. */
function laterVersion(text: string): string {
  if (/"version": ?\d+/.test(text)) return text.replace(/"version": ?\d+/g, '"version":99');
  return text.startsWith('{') ? text.replace('{', '{"version":99,') : '{"version":99}\n';
}
