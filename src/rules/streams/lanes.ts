import type { LedgerLine, Story } from '../../contracts/index.ts';
import { select } from '../backlog/index.ts';

export type NextStory =
  | { readonly kind: 'start'; readonly story: Story }
  /** Nothing now; ask again when a story landed or was sent back. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'complete' }
  /** The remaining stories are blocked, or wait for a blocked one. */
  | { readonly kind: 'blocked' };

interface LanesNow {
  /** The stories on the branch: a lane's work counts once it has landed. */
  readonly stories: readonly Story[];
  readonly skipReview: boolean;
  readonly atWork: ReadonlySet<string>;
  /** Ids of stories that failed too often to fit together with others: they get the branch for themselves. */
  readonly alone: ReadonlySet<string>;
}

/**
 * The story that a free lane takes: the one that a run without lanes would take, skipping those that lanes work on and
 * those whose paths overlap with one of these.
 */
export function nextForLane({ stories, skipReview, atWork, alone }: LanesNow): NextStory {
  const busy = stories.filter(({ id }) => atWork.has(id));
  if (busy.some(({ id }) => alone.has(id))) return { kind: 'wait' };
  const apart = stories.filter(
    (story) =>
      !atWork.has(story.id) &&
      ((busy.length > 0 && alone.has(story.id)) || busy.some((other) => storiesOverlap(story.paths, other.paths))),
  );
  const selection = select(stories, { skipReview, taken: new Set([...atWork, ...apart.map(({ id }) => id)]) });
  if (selection.kind === 'complete' || selection.kind === 'blocked') return { kind: selection.kind };
  if (selection.kind !== 'wait') return { kind: 'start', story: selection.story };
  // No lane is working: the remaining stories wait for ones that will never be done.
  return atWork.size > 0 ? { kind: 'wait' } : { kind: 'blocked' };
}

export type Misfit = 'conflict' | 'red';

/** A line of the run's ledger about an iteration in a lane. */
export interface LaneMark {
  /** The run in the lane's own work tree, and the line's number there: it is taken over only once. */
  readonly run: string;
  readonly iteration: number;
  /** The iteration was good in its lane, but its story did not fit into the branch. */
  readonly misfit?: Misfit;
}

/** The lane's mark of a line; null for an iteration in the run's own work tree. */
export function laneMarkOf(line: LedgerLine): LaneMark | null {
  if (line.kind !== 'iteration' || !('lane' in line)) return null;
  return line.lane as LaneMark;
}

/** How often a story has failed to fit since it last landed, or since a person decided about it. */
export function misfitsOf(ledger: readonly LedgerLine[], story: string): number {
  let count = 0;
  for (const line of ledger) {
    if ((line.kind !== 'iteration' && line.kind !== 'reset') || line.story !== story) continue;
    if (line.kind === 'reset') count = 0;
    else if (laneMarkOf(line)?.misfit) count += 1;
  }
  return count;
}

/**
 * Whether two stories may touch the same file, by the paths that they declare: files, folders or globs, relative to the
 * root. A story that declares none may touch anything, but counts as overlapping with none: conflicts show when it is
 * merged. Case is ignored, as on some file systems.
 */
function storiesOverlap(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  const mine = (one ?? []).map(segmentsOf);
  const theirs = (other ?? []).map(segmentsOf);
  return mine.some((path) => theirs.some((their) => pathsMeet(path, their)));
}

const EVERYTHING = '**';
const GLOB = /[*?[{]/;
/** `a.ts`, and not `.github`: nothing lies below it. */
const FILE = /^[^.].*\.[a-z0-9]+$/;

/** The segments of a path; for a folder with `**` at the end, so that it stands for everything in it. */
function segmentsOf(path: string): readonly string[] {
  const plain = path.trim().replaceAll('\\', '/').toLowerCase();
  const segments = plain.split('/').filter((segment) => segment !== '' && segment !== '.');
  const last = segments.at(-1);
  const isFile = last !== undefined && FILE.test(last) && !plain.endsWith('/');
  const isFiles = last !== undefined && GLOB.test(last) && FILE.test(last.replace(/^[*?]+/, 'x'));
  return isFile || isFiles ? segments : [...segments, EVERYTHING];
}

/** Whether any path matches both. Every pair of positions is examined once: patterns with many `**` stay cheap. */
function pathsMeet(one: readonly string[], other: readonly string[]): boolean {
  return meet(one, other, (segment) => segment === EVERYTHING, segmentsMeet);
}

/** Whether any name matches both: `*` is any text, `?` any character. Brackets and braces count as any text. */
function segmentsMeet(one: string, other: string): boolean {
  return meet(signsOf(one), signsOf(other), isAnyText, (a, b) => a === '?' || b === '?' || a === b);
}

const isAnyText = (sign: string) => sign === '*';

function signsOf(segment: string): readonly string[] {
  return [...segment.replace(/\[[^\]]*\]|\{[^}]*\}/g, '*').replace(/\*+/g, '*')];
}

/**
 * Whether two sequences have a common instance, where `isMany` marks elements that stand for any number of others.
 * `open[j]`: the part of `one` read so far matches the first `j` elements of `other`.
 */
function meet(
  one: readonly string[],
  other: readonly string[],
  isMany: (element: string) => boolean,
  fits: (a: string, b: string) => boolean,
): boolean {
  let open = [true];
  // An empty `one` matches only elements that may stand for nothing.
  for (const element of other) open.push(open.at(-1) === true && isMany(element));
  for (const element of one) {
    const next = [open[0] === true && isMany(element)];
    for (const [j, their] of other.entries()) {
      const before = open[j] === true;
      const skipsOne = isMany(element) && (open[j + 1] === true || next[j] === true);
      const skipsOther = isMany(their) && (next[j] === true || open[j + 1] === true);
      next.push(skipsOne || skipsOther || (before && !isMany(element) && !isMany(their) && fits(element, their)));
    }
    open = next;
  }
  return open.at(-1) === true;
}
