import { shellWord } from '../shell-word.ts';

/** What the folder of a work tree tells of it. */
export interface StreamPlace {
  /** Root of the repository's main work tree. */
  readonly main: string;
  /** Name of the stream: `PRD-2`; of a lane that of the backlog whose stories it works on. */
  readonly stream: string;
  /** Which lane of a run with `--parallel` it is; null for a stream. */
  readonly lane: number | null;
}

const PLACE = /^(.+)\/\.ralph\/worktrees\/([^/]+?)(?:-lane-(\d{1,4}))?$/;

/** The stream or lane that a work tree is of; null for every other one. Pure. */
export function streamPlace(root: string): StreamPlace | null {
  const [, main, stream, lane] = PLACE.exec(root) ?? [];
  if (main === undefined || stream === undefined) return null;
  return { main, stream, lane: lane === undefined ? null : Number(lane) };
}

/**
 * Root of the work tree that this one is shown with: of a lane the one whose run it is of, else itself. Pure.
 * @param roots of all work trees that are there
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

/** How a stream goes on, as it is typed. Pure. */
export function goOnCommand(root: string): string {
  const place = streamPlace(root);
  if (place === null) return 'ralph stream start';
  if (place.lane !== null) return 'ralph run --parallel';
  return `ralph stream start ${/^PRD-(\d+)$/.exec(place.stream)?.[1] ?? shellWord(place.stream)}`;
}
