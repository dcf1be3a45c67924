import type { RunView } from '../../rules/view/model.ts';

/** A loop that was put aside. */
export interface Archive {
  /** Epoch ms. */
  readonly at: number;
  /** Name of its folder. */
  readonly label: string;
  /** Ids; the next loop may use them again. */
  readonly stories: readonly string[];
}

/** Runs with the stories of archived loops under names that no later story has: `US-001 (2026-03-02-login)`. Pure. */
export function withArchivedApart(
  views: readonly RunView[],
  archives: readonly Archive[],
): { readonly views: readonly RunView[]; readonly archived: ReadonlySet<string> } {
  const archived = new Set<string>();
  const renamed = views.map((view) => {
    const nameOf = (id: string) => {
      const closed = archives.find(({ at, stories }) => at >= view.lastEventAt && stories.includes(id));
      if (closed === undefined) return id;
      const name = `${id} (${closed.label})`;
      archived.add(name);
      return name;
    };
    return {
      ...view,
      stories: view.stories.map((story) => ({ ...story, id: nameOf(story.id) })),
      iterations: view.iterations.map((one) => ({ ...one, story: nameOf(one.story) })),
    };
  });
  return { views: renamed, archived };
}
