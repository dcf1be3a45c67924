import { pathFromBytes, splitNul } from './path-bytes.ts';
import type { ChangedPath } from './port.ts';

/** One entry of git's raw difference. */
export interface RawChange extends ChangedPath {
  /** Octal text; `000000` when absent. */
  readonly newMode: string;
  readonly newId: string;
}

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

export interface RefList {
  readonly head: string;
  readonly branch: string | null;
  /** Every ref outside refs/ralph. */
  readonly refs: Readonly<Record<string, string>>;
}

/** Parses what `print_refs` prints: HEAD's commit, then "*" or " ", object, space, name for each ref. */
export function parseRefs(lines: readonly string[]): RefList {
  const [head = '', ...rest] = lines;
  const refs: Record<string, string> = {};
  let branch: string | null = null;
  for (const entry of rest) {
    const space = entry.indexOf(' ', 1);
    const name = entry.slice(space + 1);
    if (space < 0 || name.startsWith('refs/ralph/')) continue;
    if (entry.startsWith('*')) branch = name;
    refs[name] = entry.slice(1, space);
  }
  return { head, branch, refs };
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
