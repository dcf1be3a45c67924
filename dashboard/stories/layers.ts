import type { StoryView } from '../../src/rules/view/index.ts';

/** The fields that a drawing of dependencies needs. */
type GraphStory = Pick<StoryView, 'id' | 'dependsOn'>;

export interface Graph<T extends GraphStory> {
  /** Stories that wait for others, or are waited for; those of a layer wait for earlier layers only. */
  readonly layers: readonly (readonly T[])[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  /** Stories without any dependency. */
  readonly alone: readonly T[];
}

/**
 * Puts stories into layers: each comes after everything it waits for. Stories in a dependency cycle go into the layer
 * that the rest allows, and are drawn all the same.
 */
export function layersOf<T extends GraphStory>(stories: readonly T[]): Graph<T> {
  const byId = new Map(stories.map((story) => [story.id, story]));
  const edges = stories.flatMap((story) =>
    story.dependsOn.filter((id) => byId.has(id) && id !== story.id).map((id) => ({ from: id, to: story.id })),
  );
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const depth = depthsOf(
    stories.filter((story) => connected.has(story.id)),
    byId,
  );
  const layers: T[][] = [];
  for (const story of stories) {
    const layer = depth.get(story.id);
    if (layer === undefined) continue;
    const row = layers[layer] ?? [];
    row.push(story);
    layers[layer] = row;
  }
  return {
    layers: inOrderOfParents(layers.filter((layer) => layer !== undefined)),
    edges,
    alone: stories.filter((story) => !connected.has(story.id)),
  };
}

/** The length of the longest path to each story; without recursion, as a chain may be as long as the backlog. */
function depthsOf(stories: readonly GraphStory[], byId: ReadonlyMap<string, GraphStory>): ReadonlyMap<string, number> {
  const depth = new Map(stories.map((story) => [story.id, 0]));
  // A path without a cycle is shorter than the number of stories.
  for (let round = 0; round < stories.length; round++) {
    let moved = false;
    for (const story of stories) {
      const behind = story.dependsOn
        .filter((id) => byId.has(id) && id !== story.id)
        .reduce((most, id) => Math.max(most, (depth.get(id) ?? 0) + 1), 0);
      if (behind > (depth.get(story.id) ?? 0) && behind < stories.length) {
        depth.set(story.id, behind);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return depth;
}

/** Places stories near those they wait for: fewer lines cross. */
function inOrderOfParents<T extends GraphStory>(layers: readonly (readonly T[])[]): readonly (readonly T[])[] {
  const place = new Map<string, number>();
  return layers.map((layer) => {
    const wish = new Map(layer.map((story, index) => [story.id, mean(story.dependsOn, place) ?? index]));
    const sorted = [...layer].sort((a, b) => (wish.get(a.id) ?? 0) - (wish.get(b.id) ?? 0));
    sorted.forEach((story, index) => {
      place.set(story.id, index);
    });
    return sorted;
  });
}

function mean(ids: readonly string[], place: ReadonlyMap<string, number>): number | null {
  const known = ids.map((id) => place.get(id)).filter((one) => one !== undefined);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}
