import { type Fields, isFields } from '../backlog/formats/keys.ts';
import type { Path, StoryList } from '../backlog/formats/prd-list.ts';

/** Names of the top level that mean something to us. */
const OWN: ReadonlySet<string> = new Set([
  '$schema',
  'project',
  'branchName',
  'description',
  'verifyCommands',
  'userStories',
  'version',
]);

/** Where what clashes with our names is kept. */
const CLASHES = 'imported';

/**
 * Everything that a document says around its stories, for the top level of a native backlog. The stories of a phase or
 * epic are replaced by their ids, so that it stays visible what belongs together; names of ours go below `imported`.
 * @param native the native values, which need not be said twice
 * @param ids native ids, by list and place
 */
export function aroundStories(
  value: unknown,
  lists: readonly StoryList[],
  ids: readonly (readonly string[])[],
  native: Fields,
): Fields {
  if (!isFields(value)) return {};
  let around: unknown = value;
  for (const [index, list] of lists.entries()) around = replaceAt(around, list.path, ids[index] ?? []);
  const entries = Object.entries(around as Fields).filter(
    ([name, found]) => found !== undefined && name !== 'userStories',
  );
  const clashing = entries.filter(([name]) => OWN.has(name) || name === CLASHES);
  const unsaid = clashing.filter(
    ([name, found]) => JSON.stringify(found) !== JSON.stringify(native[name]) && found !== null,
  );
  const kept = entries.filter(([name]) => !OWN.has(name) && name !== CLASHES);
  return Object.fromEntries<unknown>([
    ...kept,
    ...(unsaid.length > 0 ? [[CLASHES, Object.fromEntries(unsaid)] as const] : []),
  ]);
}

/** A copy with a list replaced by ids; a list at the top level needs no such trace and is left out. */
function replaceAt(node: unknown, path: Path, ids: readonly string[], depth = 0): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return depth === 1 ? undefined : ids;
  if (Array.isArray(node)) {
    return node.map((each, at) => (at === head ? replaceAt(each, rest, ids, depth + 1) : each));
  }
  if (!isFields(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, each]) => [name, name === head ? replaceAt(each, rest, ids, depth + 1) : each]),
  );
}
