import { type RawMode, rawModes } from '../../platform/files/raw-modes.ts';
import { indexedPaths } from './indexed-paths.ts';
import { withoutDot } from './lists.ts';
import { pathFromBytes } from './path-bytes.ts';
import type { Checkpoint } from './port.ts';
import type { Room } from './room.ts';

const PERMISSIONS = 0o7777;

/**
 * Files and folders of the snapshot that was just taken, and of `empty`, whose mode is not what a checkout gives them;
 * git itself knows only "executable or not". Folders come before what they hold.
 */
export async function oddModes(room: Room, empty: readonly Buffer[]): Promise<Checkpoint['modes']> {
  const files = await indexedPaths(room);
  const paths = [...foldersOf(files), ...files, ...empty.map((path) => path.toString('latin1'))];
  const [plain, executable] = usualModes().map((mode) => Number.parseInt(mode, 8));
  const isOdd = ({ kind, mode }: RawMode) =>
    kind === 'other' ? false : mode !== executable && (kind === 'dir' || mode !== plain);
  const found = await rawModes(room.repo.root, paths);
  return found.flatMap((entry, at) => {
    if (entry === null || !isOdd(entry)) return [];
    const path = withoutDot(pathFromBytes(Buffer.from(paths[at] ?? '', 'latin1')));
    return [[path, entry.mode & PERMISSIONS] as const];
  });
}

/** Every folder on the way to a file. */
function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders].sort();
}

export interface OddMode {
  readonly path: string;
  /** Type and permission bits, as stat(2) has them. */
  readonly mode: number;
}

/** Octal modes that a checkout gives to files, and to executables and directories. */
export function usualModes(): readonly [string, string] {
  const allowed = ~process.umask();
  return [(0o666 & allowed).toString(8), (0o777 & allowed).toString(8)];
}

/** Joins the paths of `print_odd_modes` with the hexadecimal lines of `print_modes`. */
export function pairModes(paths: readonly Buffer[], modes: Buffer | undefined): OddMode[] {
  const lines = modes?.toString('utf8').split('\n') ?? [];
  return paths.map((path, at) => ({
    path: withoutDot(pathFromBytes(path)),
    mode: Number.parseInt(lines[at] ?? '', 16),
  }));
}
