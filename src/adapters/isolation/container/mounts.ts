import { isWithin } from '../../../platform/index.ts';
import type { ViewEntry } from '../view/entry.ts';

/** What the image itself must contain: an engine mounts folders and files, but creates no links. */
export interface Skeleton {
  readonly folders: readonly string[];
  /** Folders under an in-memory mount that every user may write to: it takes the mode of the folder it covers. */
  readonly temporary: readonly string[];
  readonly links: ReadonlyMap<string, string>;
}

interface Covers {
  /** An empty file and an empty folder, for paths that must not be read. */
  readonly file: string;
  readonly folder: string;
  readonly memoryBytes: number;
}

/**
 * Renders a view into arguments of `run`. Engines order mounts by depth and refuse two at one place, so an entry that a
 * later one covers is left out. Parents come before their content.
 *
 * @param covers what is mounted over the host's files
 * @param mountPoints where file systems are mounted on the host: an engine binds them too, but writable
 */
export function renderView(view: readonly ViewEntry[], covers: Covers, mountPoints: readonly string[]) {
  const seen = uncovered(withMountPoints(view, mountPoints));
  const mounted = seen.filter(({ kind }) => kind !== 'link' && kind !== 'folder');
  const ofImage = seen.filter((entry) => !mounted.some(({ at }) => isBelow(entry.at, at)));
  const placesOf = (kind: ViewEntry['kind']) => ofImage.flatMap((entry) => (entry.kind === kind ? [entry.at] : []));
  return {
    flags: mounted.flatMap((entry) => flagsOf(entry, covers)),
    skeleton: {
      folders: placesOf('folder'),
      temporary: placesOf('empty'),
      links: new Map(ofImage.flatMap((entry) => (entry.kind === 'link' ? [[entry.at, entry.target] as const] : []))),
    },
  };
}

/** The fifth column of /proc/self/mountinfo, in which blanks are written in octal. */
export function parseMountPoints(table: string): readonly string[] {
  const columns = table.split('\n').map((line) => line.split(' ')[4] ?? '');
  const points = columns.map((path) =>
    path.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
  return [...new Set(points)].filter((path) => path !== '' && path !== '/');
}

/** Entries that no later one covers, parents first. */
function uncovered(view: readonly ViewEntry[]): readonly ViewEntry[] {
  const kept: ViewEntry[] = [];
  for (const entry of [...view].reverse()) {
    if (!kept.some(({ at, kind }) => at === entry.at || (kind !== 'folder' && isBelow(entry.at, at)))) kept.push(entry);
  }
  return kept.reverse().sort((a, b) => depth(a.at) - depth(b.at));
}

/** Adds, right after a read-only folder, the file systems mounted below it, also read-only. */
function withMountPoints(view: readonly ViewEntry[], mountPoints: readonly string[]): readonly ViewEntry[] {
  return view.flatMap((entry) => {
    if (entry.kind !== 'read') return [entry];
    const below = mountPoints.filter((point) => isBelow(point, entry.from));
    return [entry, ...below.map((from) => ({ ...entry, from, at: `${entry.at}${from.slice(entry.from.length)}` }))];
  });
}

function flagsOf(entry: ViewEntry, covers: Covers): readonly string[] {
  switch (entry.kind) {
    case 'read':
      return bind(entry.from, entry.at, true);
    case 'write':
      return bind(entry.from, entry.at, false);
    case 'mask':
      return bind(covers[entry.of], entry.at, true);
    case 'empty':
      // Docker forbids execution there by default.
      return ['--tmpfs', `${entry.at}:rw,exec,mode=1777,size=${covers.memoryBytes}`];
    default:
      return [];
  }
}

function bind(from: string, at: string, readOnly: boolean): readonly string[] {
  const fields = ['type=bind', `source=${from}`, `target=${at}`, ...(readOnly ? ['readonly'] : [])];
  return ['--mount', fields.map(csvField).join(',')];
}

/** `--mount` takes a line of CSV, so a path may contain any character; `-v` fails on a colon. */
function csvField(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && isWithin(path, folder);
}

function depth(path: string): number {
  return path.split('/').length;
}
