import type { Story } from '../../contracts/model.ts';

/** Something with a name that one story makes and others can only use afterwards: an endpoint, a table, a file. */
export type Thing = string;

const METHOD_AND_PATH = /\b(GET|POST|PUT|PATCH|DELETE)\s+`?((?:\/[\w:{}[\]-]+)+)/g;
const PATH = /(?<![\w/.:*~-])\/[A-Za-z:{[][\w:{}[\]-]*(?:\/[\w:{}[\]-]+)*(?![\w./*])/g;
const FILE = /(?<![\w/.-])(?:[\w.@-]+\/)+[\w.-]*[\w-]\.[a-z]{1,4}\b/g;
/** `OrderForm`, `useCart`: names as code writes them. */
const NAME = /(?<![\w/.])[A-Za-z]+[a-z](?:[A-Z][a-z]+){1,}(?![\w/])/g;
/** What is written like a name in code, and is not this project's. */
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

/** Words after "table" that are no name of one. */
const NO_TABLE: ReadonlySet<string> = new Set(
  (
    'a an and are as at at by can component contains data does exists for from has have header in is it layout of on or ' +
    'row rows schema shows so that the to ui using via view which with without'
  ).split(' '),
);

/** What a text names. A path that stands behind a method is that endpoint alone. */
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

/** What a text that makes things makes: an endpoint by its path alone, too, as those who use it write it. */
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

/** Criteria that say what is there once the story is done. */
const MADE: readonly RegExp[] = [
  /^\W*(?:GET|POST|PUT|PATCH|DELETE)\s+`?\/\S+\s+(?:accepts?|answers?|creates?|deletes?|exists|lists?|responds?|returns?|stores?|updates?)\b/,
  /^\W*(?:the |a |an )?(?:\w+ )?migrations?\b.*?\b(?:adds?|creates?)\b.*?\btable\b.*/i,
  /^\W*(?:adds?|creates?)\s.*?\btable\b.*/i,
  /^\W*(?:[\w.@-]+\/)+[\w.-]+\.[a-z]{1,4}`?\s+(?:contains?|defines?|exists|exports?|is created|provides?)\b/,
];

/**
 * Who makes a thing; null where two stories claim it. A title says it best, and criteria only of what no title makes.
 */
export function makersOf(stories: readonly Story[]): ReadonlyMap<Thing, Story | null> {
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

/** "Add OrderForm to src/shop.tsx" makes the form and uses the rest. */
function madeIn(title: string): string {
  return (
    title.split(/\s(?:to|in|into|for|on|onto|with|of|from|using|via|that|which|when|after|before|so|by)\s/i, 1)[0] ?? ''
  );
}

/** Which stories name what another one makes. */
export function usersOf(
  stories: readonly Story[],
  makers: ReadonlyMap<Thing, Story | null>,
): ReadonlyMap<Thing, readonly Story[]> {
  const users = new Map<Thing, Story[]>();
  for (const story of stories) {
    const text = [story.title, story.description, ...story.acceptanceCriteria].join('\n');
    for (const thing of thingsIn(text)) {
      const maker = makers.get(thing);
      if (!maker || maker === story) continue;
      const known = users.get(thing);
      if (known) known.push(story);
      else users.set(thing, [story]);
    }
  }
  return users;
}
