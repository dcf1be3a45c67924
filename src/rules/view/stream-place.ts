import { shellWord } from '../text/index.ts';

/** What a work tree's folder reveals about it. */
interface StreamPlace {
  /** Root of the repository's main work tree. */
  readonly main: string;
  /** Name of the stream: `PRD-2`; for a lane, the stream of the backlog whose stories it works on. */
  readonly stream: string;
  /** Number of the lane in a run with `--parallel`; null for a stream. */
  readonly lane: number | null;
}

const PLACE = /^(.+)\/\.ralph\/worktrees\/([^/]+?)(?:-lane-(\d{1,4}))?$/;

/** The stream or lane of a work tree; null for any other work tree. Pure. */
export function streamPlace(root: string): StreamPlace | null {
  const [, main, stream, lane] = PLACE.exec(root) ?? [];
  if (main === undefined || stream === undefined) return null;
  return { main, stream, lane: lane === undefined ? null : Number(lane) };
}

/**
 * Root of the work tree that this one is shown with: for a lane, that of its run; else itself. Pure.
 * @param roots the roots of all existing work trees
 */
export function familyOf(root: string, roots: ReadonlySet<string>): string {
  const place = streamPlace(root);
  if (place === null || place.lane === null) return root;
  const stream = root.slice(0, root.lastIndexOf('-lane-'));
  return roots.has(stream) ? stream : place.main;
}

/** The order of work trees by their paths, in which 10 comes after 9. Pure. */
export function byPath(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** The command that continues a stream. Pure. */
export function goOnCommand(root: string): string {
  const place = streamPlace(root);
  if (place === null) return 'ralph stream start';
  if (place.lane !== null) return 'ralph run --parallel';
  return `ralph stream start ${/^PRD-(\d+)$/.exec(place.stream)?.[1] ?? shellWord(place.stream)}`;
}
