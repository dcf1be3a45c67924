import { pathFromBytes, pathToBytes } from '../../platform/index.ts';
import type { ChangedPath } from './port.ts';

/** One entry of git's raw difference. */
export interface RawChange extends ChangedPath {
  /** Octal text; `000000` when absent. */
  readonly newMode: string;
  readonly newId: string;
}

/** The mode of a link to another repository's commit: a submodule, or a nested repository. */
export const GITLINK = '160000';
/** The mode of what is absent. */
export const ABSENT = '000000';

const STATUS: Readonly<Record<string, ChangedPath['status']>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  T: 'type-changed',
};

/** Parses `--raw -z --no-renames`: ":<old mode> <new mode> <old id> <new id> <status>", NUL, path, NUL, … */
export function parseRaw(bytes: Buffer): RawChange[] {
  const records = splitNul(bytes);
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [, newMode = '', , newId = '', status = ''] = (records[at] ?? '').toString().split(' ');
    const path = pathFromBytes(records[at + 1] ?? Buffer.alloc(0));
    changes.push({ path, status: STATUS[status] ?? 'modified', newMode, newId });
  }
  return changes;
}

/** A path as `find ./…` prints it, made relative again. */
export function withoutDot(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}

/** Splits NUL records at the empty ones between sections. */
export function sections(records: readonly Buffer[]): Buffer[][] {
  const parts: Buffer[][] = [[]];
  for (const record of records) {
    if (record.length === 0) parts.push([]);
    else parts.at(-1)?.push(record);
  }
  return parts;
}

/** The records of NUL-terminated output (git's `-z`). */
export function splitNul(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0, from);
    if (end < 0) {
      records.push(bytes.subarray(from));
      break;
    }
    records.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return records;
}

/** The paths of NUL-terminated output. */
export function pathList(bytes: Buffer): string[] {
  return splitNul(bytes).map(pathFromBytes);
}

/** Entries of an index as `update-index -z --index-info` reads them. */
export function indexInfo(entries: readonly Pick<RawChange, 'path' | 'newMode' | 'newId'>[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ newMode, newId, path }) => [
      Buffer.from(`${newMode} ${newId}\t`),
      pathToBytes(path),
      Buffer.of(0),
    ]),
  );
}

/** Paths as NUL-terminated input for git's `-z --stdin` and `xargs -0`. */
export function joinNul(paths: readonly string[]): Buffer {
  return Buffer.concat(paths.flatMap((path) => [pathToBytes(path), Buffer.of(0)]));
}
