import type { Story } from '../../contracts/index.ts';
import { hint, type Plan, type Rule } from './api.ts';
import { type Layer, layerOf, nounWords, wordCount } from './words.ts';

/** A word in more titles than this describes the whole product, not one feature of it. */
const MOST_OF_A_FEATURE = 8;

/** Words; a longer title also names things other than its subject. */
const LONG_TITLE = 12;

/** A story that waits for one with a higher priority number, so that the numbers contradict the actual order. */
export const priorityOrder: Rule = {
  name: 'order/priority',
  check: ({ open }) => {
    const byId = new Map(open.map((story) => [story.id, story]));
    return open.flatMap((story) => {
      const later = story.dependsOn
        .flatMap((id) => byId.get(id) ?? [])
        .find((other) => other.priority > story.priority);
      if (later === undefined) return [];
      const message = `has priority ${story.priority}, but waits for ${later.id} of priority ${later.priority}`;
      return [hint(story, message, `give ${later.id} the lower number: 1 is worked on first`)];
    });
  },
};

/** A part of a feature that is built before the parts it depends on: schema, backend, API, front end, integration. */
export const layerOrder: Rule = {
  name: 'order/layers',
  check: ({ open, waitsFor }) => {
    const placed = open.flatMap((story) => {
      const layer = wordCount(story.title) > LONG_TITLE ? null : layerOf(story.title);
      return layer ? [{ story, layer, nouns: topicOf(story.title) }] : [];
    });
    const byNoun = grouped(placed.flatMap((each) => [...each.nouns].map((noun) => [noun, each] as const)));
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
          isWorkedOnFirst(each.story, other.story, open) &&
          (needed.includes(other) || isPartOf(other, each)) &&
          !waitsFor(each.story, other.story) &&
          !waitsFor(other.story, each.story),
      );
      if (base === undefined) return [];
      const message = `is ${each.layer.name} work and comes before ${base.story.id}, the ${base.layer.name} of the same feature`;
      return [hint(each.story, message, `let it depend on ${base.story.id}, which then comes first`)];
    });
  },
};

interface Placed {
  readonly story: Story;
  readonly layer: Layer;
  readonly nouns: ReadonlySet<string>;
}

function grouped<K, V>(entries: readonly (readonly [K, V])[]): ReadonlyMap<K, readonly V[]> {
  const groups = new Map<K, V[]>();
  for (const [key, value] of entries) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** For each story, the stories that make what it names: they belong to the same feature, even under other titles. */
function neededBy(placed: readonly Placed[]): ReadonlyMap<Story, readonly Placed[]> {
  const stories = placed.map(({ story }) => story);
  const makers = makersOf(stories);
  const needs = [...usersOf(stories, makers)].flatMap(([thing, using]) => {
    const maker = placed.find(({ story }) => story === makers.get(thing));
    return maker === undefined ? [] : using.map((story) => [story, maker] as const);
  });
  return grouped(needs);
}

/** Whether it is worked on first, by priority and then by position in `stories`. */
function isWorkedOnFirst(a: Story, b: Story, stories: readonly Story[]): boolean {
  return a.priority === b.priority ? stories.indexOf(a) < stories.indexOf(b) : a.priority < b.priority;
}

/** Words that name the layer itself (`endpoint`, `page`) do not name a feature. */
const LAYER_WORDS: ReadonlySet<string> = new Set(
  'api endpoint route table column field index migration schema database model page screen view component modal frontend backend test'.split(
    ' ',
  ),
);

function topicOf(title: string): ReadonlySet<string> {
  return new Set([...nounWords(title)].filter((word) => !LAYER_WORDS.has(word)));
}

/** Whether the whole topic of one story is part of the other's. One common word does not make a feature. */
function isPartOf(base: Placed, whole: Placed): boolean {
  return [...base.nouns].every((noun) => whole.nouns.has(noun));
}

/** A thing named by more stories than this is a landmark of the code base, not the work of one story. */
const MOST_USERS = 6;

/** A story that names what another one makes, without depending on it. */
export const missingDependencies: Rule = {
  name: 'dependencies/missing',
  check: (plan) => {
    const { open, waitsFor } = plan;
    const goesByPriority = !saysDependencies(plan);
    const makers = makersOf(open);
    const told = new Set<string>();
    return [...usersOf(open, makers)].flatMap(([thing, using]) => {
      const maker = makers.get(thing);
      if (maker === undefined || maker === null || using.length > MOST_USERS) return [];
      return using.flatMap((story) => {
        const pair = `${story.id} ${maker.id}`;
        if (told.has(pair) || waitsFor(story, maker) || waitsFor(maker, story)) return [];
        const isTooEarly = isWorkedOnFirst(story, maker, open);
        if (goesByPriority && !(isTooEarly && isUnmistakable(thing))) return [];
        told.add(pair);
        const order = isTooEarly ? ', comes before it' : '';
        const message = `uses ${thing}, which ${maker.id} creates${order}, and does not depend on it`;
        return [hint(story, message, `add ${JSON.stringify(maker.id)} to its "dependsOn"`)];
      });
    });
  },
};

/** Whether it is a path, a file or a table; a name such as `WebSocket` may come from outside. */
function isUnmistakable(thing: Thing): boolean {
  return /[/ ]/.test(thing);
}

/** Whether the plan uses dependencies. A foreign plan without any follows its priorities, which is fine. */
function saysDependencies({ backlog: { format, stories } }: Plan): boolean {
  return format === 'tasks-json' || stories.some(({ dependsOn }) => dependsOn.length > 0);
}

/** Something with a name that one story makes and others can use only afterwards: an endpoint, a table, a file. */
type Thing = string;

const METHOD_AND_PATH = /\b(GET|POST|PUT|PATCH|DELETE)\s+`?((?:\/[\w:{}[\]-]+)+)/g;
const PATH = /(?<![\w/.:*~-])\/[A-Za-z:{[][\w:{}[\]-]*(?:\/[\w:{}[\]-]+)*(?![\w./*])/g;
const FILE = /(?<![\w/.-])(?:[\w.@-]+\/)+[\w.-]*[\w-]\.[a-z]{1,4}\b/g;
/** `OrderForm`, `useCart`: names as in code. */
const NAME = /(?<![\w/.])[A-Za-z]+[a-z](?:[A-Z][a-z]+){1,}(?![\w/])/g;
/** Names that look like code but do not belong to this project. */
const PRODUCTS: ReadonlySet<string> = new Set(
  (
    'CoffeeScript DevOps DynamoDB GitHub GitLab GraphQL JavaScript LangChain LinkedIn MongoDB OAuth OpenAI OpenAPI ' +
    'PayPal PostCSS PostgreSQL PowerShell SendGrid TypeScript WebAssembly WebGL WebRTC WebSocket WebSockets WhatsApp ' +
    'WordPress YouTube'
  ).split(' '),
);

/** `order_items table`, `` `orders` table ``, `table orders`. */
const TABLE = /\b([a-z]+(?:_[a-z]+)+)`?\s+(?:database\s+)?table\b|`([a-z_]+)`\s+(?:database\s+)?table\b/g;
const TABLE_NAMED = /\btable\s+`?([a-z]+(?:_[a-z]+)*)\b/g;

/** Words after "table" that are not its name. */
const NO_TABLE: ReadonlySet<string> = new Set(
  (
    'a an and are as at at by can component contains data does exists for from has have header in is it layout of on or ' +
    'row rows schema shows so that the to ui using via view which with without'
  ).split(' '),
);

/** The things that a text names. A path after an HTTP method is only that endpoint. */
function thingsIn(text: string): ReadonlySet<Thing> {
  const endpoints = [...text.matchAll(METHOD_AND_PATH)].map(([, method, path]) => `${method} ${path}`);
  const rest = text.replace(METHOD_AND_PATH, ' ');
  return new Set([
    ...endpoints,
    ...(rest.replace(FILE, ' ').match(PATH) ?? []),
    ...(rest.match(FILE) ?? []),
    ...(rest.match(NAME) ?? []).filter((name) => !PRODUCTS.has(name)),
    ...tablesIn(rest),
  ]);
}

/** The things made by a text that makes things: an endpoint also by its path alone, as its users write it. */
function makes(text: string): ReadonlySet<Thing> {
  const paths = [...text.matchAll(METHOD_AND_PATH)].map(([, , path]) => path ?? '');
  return new Set([...thingsIn(text), ...paths]);
}

function tablesIn(text: string): readonly Thing[] {
  const before = [...text.matchAll(TABLE)].map(([, plain, ticked]) => plain ?? ticked ?? '');
  const after = [...text.matchAll(TABLE_NAMED)].map(([, name]) => name ?? '').filter((name) => !NO_TABLE.has(name));
  return [...before, ...after].map((name) => `the table ${name}`);
}

const MAKING = /^\W*(?:add|build|create|define|design|develop|generate|implement|introduce|make|set\s*up|write)\b/i;

/** Criteria that state what exists once the story is done. */
const MADE: readonly RegExp[] = [
  /^\W*(?:GET|POST|PUT|PATCH|DELETE)\s+`?\/\S+\s+(?:accepts?|answers?|creates?|deletes?|exists|lists?|responds?|returns?|stores?|updates?)\b/,
  /^\W*(?:the |a |an )?(?:\w+ )?migrations?\b.*?\b(?:adds?|creates?)\b.*?\btable\b.*/i,
  /^\W*(?:adds?|creates?)\s.*?\btable\b.*/i,
  /^\W*(?:[\w.@-]+\/)+[\w.-]+\.[a-z]{1,4}`?\s+(?:contains?|defines?|exists|exports?|is created|provides?)\b/,
];

/** The story that makes a thing; null when two stories claim it. Titles decide first, criteria only for the rest. */
function makersOf(stories: readonly Story[]): ReadonlyMap<Thing, Story | null> {
  const byTitle = claims(stories, ({ title }) => (MAKING.test(title) ? [madeIn(title)] : []));
  const byCriteria = claims(stories, ({ acceptanceCriteria }) =>
    acceptanceCriteria.flatMap((criterion) => MADE.flatMap((made) => made.exec(criterion)?.[0] ?? [])),
  );
  return new Map([...byCriteria, ...byTitle]);
}

function claims(
  stories: readonly Story[],
  textsOf: (story: Story) => readonly string[],
): ReadonlyMap<Thing, Story | null> {
  const makers = new Map<Thing, Story | null>();
  for (const story of stories) {
    for (const thing of new Set(textsOf(story).flatMap((text) => [...makes(text)]))) {
      makers.set(thing, makers.has(thing) ? null : story);
    }
  }
  return makers;
}

/** "Add OrderForm to src/shop.tsx" makes only the form. */
function madeIn(title: string): string {
  return (
    title.split(/\s(?:to|in|into|for|on|onto|with|of|from|using|via|that|which|when|after|before|so|by)\s/i, 1)[0] ?? ''
  );
}

/** The stories that name what another one makes. */
function usersOf(
  stories: readonly Story[],
  makers: ReadonlyMap<Thing, Story | null>,
): ReadonlyMap<Thing, readonly Story[]> {
  const uses = stories.flatMap((story) => {
    const text = [story.title, story.description, ...story.acceptanceCriteria].join('\n');
    return [...thingsIn(text)].flatMap((thing) => {
      const maker = makers.get(thing);
      return maker && maker !== story ? [[thing, story] as const] : [];
    });
  });
  return grouped(uses);
}
