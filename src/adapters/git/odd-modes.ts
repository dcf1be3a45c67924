import { type RawMode, rawModes, readBytes } from '../../platform/index.ts';
import { pathFromBytes, splitNul, withoutDot } from './lists.ts';
import type { Checkpoint } from './port.ts';
import { type Room, runScript } from './room.ts';
import { sh } from './scripts/prelude.ts';

const PERMISSIONS = 0o7777;

/**
 * Files and folders of the last snapshot, and of `empty`, whose mode is not what a checkout gives them; git itself
 * knows only "executable or not". Folders come before their content.
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

/** Every parent folder of a file. */
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

/** Bytes of an index's header: signature, version, number of entries. */
const HEADER_BYTES = 12;
/** Bytes of an entry before its object's name: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;

const LIST = sh`
shadow ls-files -z
`;

/** Paths of the files in the shadow index, one character per byte. Sorted as git sorts them. */
async function indexedPaths(room: Room): Promise<readonly string[]> {
  const bytes = await readBytes(`${room.shadow}/index`);
  const paths = bytes && parseIndex(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), room.objectFormat);
  if (paths) return paths;
  return splitNul(await runScript(room, 'list the snapshot', LIST)).map((path) => path.toString('latin1'));
}

/**
 * Reads the paths of a git index of version 2 or 3, which git writes unless configured otherwise
 * (Documentation/gitformat-index.txt). One character per byte.
 * @returns null for any other, a split index included
 */
export function parseIndex(bytes: Buffer, objectFormat: string): readonly string[] | null {
  const hash = objectFormat === 'sha256' ? 32 : 20;
  if (bytes.length < HEADER_BYTES + hash || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version !== 2 && version !== 3) return null;
  const paths: string[] = [];
  const end = bytes.length - hash;
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + hash;
    if (flagsAt + 2 > end) return null;
    const nameAt = flagsAt + ((bytes.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
    const nameEnd = bytes.indexOf(0, nameAt);
    if (nameEnd < 0 || nameEnd >= end) return null;
    paths.push(bytes.toString('latin1', nameAt, nameEnd));
    // One to eight NULs, so that an entry's length is a multiple of eight.
    at += (nameEnd - at + 8) & ~7;
  }
  return hasLink(bytes, at, end) ? null : paths;
}

/** Whether the extensions at the end name another index that this one builds on. */
function hasLink(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return true;
  }
  return false;
}
