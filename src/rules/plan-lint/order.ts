import type { Story } from '../../contracts/model.ts';
import type { PlanRule } from './api.ts';
import { type Layer, layerOf } from './layers.ts';
import { makersOf, usersOf } from './things.ts';
import { nounWords, wordCount } from './words.ts';

/** A word in more titles than this is what the whole product is about, not one feature of it. */
const MOST_OF_A_FEATURE = 8;

/** Words; a longer title names much that it is not about. */
const LONG_TITLE = 12;

/** A story that waits for one with a higher priority number, so that the numbers tell another order than the one kept. */
export const priorityOrder: PlanRule = {
  name: 'order/priority',
  check: ({ open }) => {
    const byId = new Map(open.map((story) => [story.id, story]));
    return open.flatMap((story) => {
      const later = story.dependsOn
        .flatMap((id) => byId.get(id) ?? [])
        .find((other) => other.priority > story.priority);
      if (later === undefined) return [];
      const message = `has priority ${story.priority}, but waits for ${later.id} of priority ${later.priority}`;
      const suggestion = `give ${later.id} the lower number: 1 is worked on first`;
      return [{ story, remark: { severity: 'hint', message, suggestion } }];
    });
  },
};

/** A part of a feature that is built before what it rests on: schema, backend, API, front end, integration. */
export const layerOrder: PlanRule = {
  name: 'order/layers',
  check: ({ open, waitsFor }) => {
    const placed = open.flatMap((story, at) => {
      const layer = wordCount(story.title) > LONG_TITLE ? null : layerOf(story.title);
      return layer ? [{ story, at, layer, nouns: topicOf(story.title) }] : [];
    });
    const byNoun = groupByNoun(placed);
    const needs = neededBy(placed);
    return placed.flatMap((each) => {
      const feature = [...each.nouns].flatMap((noun) => {
        const stories = byNoun.get(noun) ?? [];
        return stories.length > MOST_OF_A_FEATURE ? [] : stories;
      });
      const needed = needs.get(each.story) ?? [];
      const base = [...needed, ...feature].find(
        (other) =>
          other.layer.rank < each.layer.rank &&
          isBefore(each, other) &&
          (needed.includes(other) || isPartOf(other, each)) &&
          !waitsFor(each.story, other.story) &&
          !waitsFor(other.story, each.story),
      );
      if (base === undefined) return [];
      const message = `is ${each.layer.name} work and comes before ${base.story.id}, the ${base.layer.name} of the same feature`;
      const suggestion = `let it depend on ${base.story.id}, which then comes first`;
      return [{ story: each.story, remark: { severity: 'hint', message, suggestion } as const }];
    });
  },
};

interface Placed {
  readonly story: Story;
  /** Place in the file. */
  readonly at: number;
  readonly layer: Layer;
  readonly nouns: ReadonlySet<string>;
}

function groupByNoun(placed: readonly Placed[]): ReadonlyMap<string, readonly Placed[]> {
  const groups = new Map<string, Placed[]>();
  for (const each of placed) {
    for (const noun of each.nouns) {
      const group = groups.get(noun);
      if (group) group.push(each);
      else groups.set(noun, [each]);
    }
  }
  return groups;
}

/** For each story those that make what it names: they are of the same feature, whatever their titles say. */
function neededBy(placed: readonly Placed[]): ReadonlyMap<Story, readonly Placed[]> {
  const stories = placed.map(({ story }) => story);
  const makers = makersOf(stories);
  const needs = new Map<Story, Placed[]>();
  for (const [thing, using] of usersOf(stories, makers)) {
    const maker = placed.find(({ story }) => story === makers.get(thing));
    if (maker === undefined) continue;
    for (const story of using) needs.set(story, [...(needs.get(story) ?? []), maker]);
  }
  return needs;
}

/** By their priorities, and then by their places among `stories`. */
export function isWorkedOnFirst(a: Story, b: Story, stories: readonly Story[]): boolean {
  return a.priority === b.priority ? stories.indexOf(a) < stories.indexOf(b) : a.priority < b.priority;
}

/** Is it worked on first, by its priority and then by its place? */
function isBefore(a: Placed, b: Placed): boolean {
  return a.story.priority === b.story.priority ? a.at < b.at : a.story.priority < b.story.priority;
}

/** Words that name the layer itself (`endpoint`, `page`) are no feature. */
const LAYER_WORDS: ReadonlySet<string> = new Set(
  'api endpoint route table column field index migration schema database model page screen view component modal frontend backend test'.split(
    ' ',
  ),
);

function topicOf(title: string): ReadonlySet<string> {
  return new Set([...nounWords(title)].filter((word) => !LAYER_WORDS.has(word)));
}

/** Is all that one is about what the other is about, too? One word in common is no feature. */
function isPartOf(base: Placed, whole: Placed): boolean {
  return [...base.nouns].every((noun) => whole.nouns.has(noun));
}
