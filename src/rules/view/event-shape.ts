import { type RalphEvent, shapeOfEvent } from '../../contracts/index.ts';

/** Whether an event has the shape that displays read: of another no display may meet a value of the wrong kind. */
export function hasShape(event: RalphEvent): boolean {
  return shapeOfEvent(event) === 'fits';
}

/**
 * Whether the content of a line may be shown: an event whose values are of the kinds that its type has, and which is
 * not nested deeper than any event. For a type that only a later version knows, the other fields may be anything.
 */
export function isShowable(value: object): value is RalphEvent {
  return shapeOfEvent(value) !== 'wrong' && isShallow(value, MOST_LEVELS);
}

/** Deeper values break code that walks them recursively. */
const MOST_LEVELS = 16;

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1));
}
