/**
 * Whether two stories may touch the same file, by the paths that they declare: files, folders or globs, relative to the
 * root. A story that declares none touches nobody knows what: it overlaps with none, and what comes of that shows when
 * it is merged. Case does not count, as on some file systems.
 */
export function storiesOverlap(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  const mine = (one ?? []).map(segmentsOf);
  const theirs = (other ?? []).map(segmentsOf);
  return mine.some((path) => theirs.some((their) => pathsMeet(path, their)));
}

const EVERYTHING = '**';
const GLOB = /[*?[{]/;
/** `a.ts`, and not `.github`: nothing lies below it. */
const FILE = /^[^.].*\.[a-z0-9]+$/;

/** The segments of a path; of a folder with `**` at the end, so that it stands for all that is in it. */
function segmentsOf(path: string): readonly string[] {
  const plain = path.trim().replaceAll('\\', '/').toLowerCase();
  const segments = plain.split('/').filter((segment) => segment !== '' && segment !== '.');
  const last = segments.at(-1);
  const isFile = last !== undefined && FILE.test(last) && !plain.endsWith('/');
  const isFiles = last !== undefined && GLOB.test(last) && FILE.test(last.replace(/^[*?]+/, 'x'));
  return isFile || isFiles ? segments : [...segments, EVERYTHING];
}

/** Whether any path matches both. Every pair of places is looked at once: patterns with many `**` stay cheap. */
function pathsMeet(one: readonly string[], other: readonly string[]): boolean {
  return meet(one, other, (segment) => segment === EVERYTHING, segmentsMeet);
}

/** Whether any name matches both: `*` is any text, `?` any character. What is in brackets or braces may be anything. */
function segmentsMeet(one: string, other: string): boolean {
  return meet(signsOf(one), signsOf(other), isAnyText, (a, b) => a === '?' || b === '?' || a === b);
}

const isAnyText = (sign: string) => sign === '*';

function signsOf(segment: string): readonly string[] {
  return [...segment.replace(/\[[^\]]*\]|\{[^}]*\}/g, '*').replace(/\*+/g, '*')];
}

/**
 * Whether two sequences have a common instance, where `isMany` marks elements that stand for any number of others.
 * `open[j]`: what was read of `one` so far fits the first `j` elements of `other`.
 */
function meet(
  one: readonly string[],
  other: readonly string[],
  isMany: (element: string) => boolean,
  fits: (a: string, b: string) => boolean,
): boolean {
  let open = [true];
  // Of nothing only elements that may stand for nothing.
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
