import { readBytes } from '../../platform/files/files.ts';
import { splitNul } from './path-bytes.ts';
import { type Room, runScript } from './room.ts';
import { sh } from './scripts/sh.ts';

/** Of an index: signature, version, number of entries. */
const HEADER_BYTES = 12;
/** Of an entry, before its object's name: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;

const LIST = sh`
shadow ls-files -z
`;

/** Paths of the files in the shadow index, one character a byte. Sorted as git sorts them. */
export async function indexedPaths(room: Room): Promise<readonly string[]> {
  const bytes = await readBytes(`${room.shadow}/index`);
  const paths = bytes && parseIndex(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), room.objectFormat);
  if (paths) return paths;
  return splitNul(await runScript(room, 'list the snapshot', LIST)).map((path) => path.toString('latin1'));
}

/**
 * Reads the paths of a git index of version 2 or 3, which is what git writes unless told otherwise
 * (Documentation/gitformat-index.txt). One character a byte.
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
