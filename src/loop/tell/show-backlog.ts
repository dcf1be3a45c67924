import type { EventBody } from '../../contracts/events.ts';
import type { Backlog, StoryRow } from '../../contracts/model.ts';
import { storyRow } from '../../rules/backlog/story-state.ts';

/** Tells whoever watches how the stories stand. */
export type ShowBacklog = (backlog: Backlog) => void;

/** The first time all of them, then what changed since: most iterations change one story of many. */
export function backlogTeller(emit: (iteration: number, body: EventBody) => void): ShowBacklog {
  let told: ReadonlyMap<string, string> | null = null;
  return ({ format, stories }) => {
    // The pseudo story of a lone prompt is none that anybody keeps a list of.
    if (format === 'prompt') return;
    const rows = stories.map(storyRow);
    const before = told;
    const now = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
    told = now;
    if (before === null) return emit(0, { type: 'backlog', whole: true, stories: rows, removed: [] });
    const changed = rows.filter(({ id }: StoryRow) => before.get(id) !== now.get(id));
    const removed = [...before.keys()].filter((id) => !now.has(id));
    if (changed.length + removed.length > 0) emit(0, { type: 'backlog', whole: false, stories: changed, removed });
  };
}
