import { join } from 'node:path';
import { type FileStat, list, realPath, stat } from '../../../platform/files/files.ts';
import type { ViewEntry } from './entry.ts';

/**
 * What belongs to the system and not to a person: programs, libraries, settings, certificates. Everything else of the
 * root is not there. `scan`: folders deep in which what not everybody may read is masked, since root inside could.
 */
const FOLDERS: readonly { readonly path: string; readonly scan: number }[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].map((path) => ({ path, scan: 0 })),
  { path: '/etc', scan: 12 },
  { path: '/usr/local/etc', scan: 4 },
  { path: '/opt', scan: 2 },
  ...['/nix/store', '/gnu/store', '/run/current-system/sw'].map((path) => ({ path, scan: 0 })),
  // Where openSUSE's /etc/ssl points to.
  { path: '/var/lib/ca-certificates', scan: 1 },
  // Tells programs how many processors there are.
  { path: '/sys/devices/system', scan: 0 },
];

/** Of a scanned folder at most so many entries are looked at: nobody's /opt makes a run start late. */
const MOST_SCANNED = 20_000;

/** The places for what is temporary; then the system's folders, read-only, and what is private in them masked. */
export async function systemEntries(): Promise<readonly ViewEntry[]> {
  const found = await Promise.all(FOLDERS.map(({ path, scan }) => systemFolder(path, scan)));
  return [
    { kind: 'empty', at: '/tmp' },
    { kind: 'empty', at: '/var/tmp' },
    { kind: 'folder', at: '/run' },
    ...found.flat(),
  ];
}

async function systemFolder(path: string, scan: number): Promise<readonly ViewEntry[]> {
  const found = await stat(path);
  if (found?.kind === 'symlink') return [{ kind: 'link', at: path, target: await realPath(path) }];
  if (found?.kind !== 'dir') return [];
  const budget = { left: MOST_SCANNED };
  const masks = scan === 0 ? [] : await privateBelow(path, scan, budget);
  return [{ kind: 'read', from: path, at: path }, ...masks];
}

async function privateBelow(folder: string, depth: number, budget: { left: number }): Promise<readonly ViewEntry[]> {
  const names = await list(folder).catch(() => []);
  budget.left -= names.length;
  const below = await Promise.all(
    names.map(async (name): Promise<readonly ViewEntry[]> => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      if (found === null || found.kind === 'symlink') return [];
      const of = found.kind === 'dir' ? 'folder' : 'file';
      if (isPrivate(found)) return [{ kind: 'mask', at: path, of }];
      return of === 'folder' && depth > 1 && budget.left > 0 ? privateBelow(path, depth - 1, budget) : [];
    }),
  );
  return below.flat();
}

/** Not for everybody: root, or a member of its group, could read it. Sockets and devices are for nobody inside. */
function isPrivate({ kind, mode }: FileStat): boolean {
  if (kind === 'other') return true;
  return kind === 'dir' ? (mode & 0o005) !== 0o005 : (mode & 0o004) === 0;
}
