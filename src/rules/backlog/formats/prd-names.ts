/*
 * How other tools and people name things in JSON: one table of synonyms, and one finder. Names are folded (lower case,
 * without separators), so that `user_stories`, `userStories` and `User Stories` are the same.
 */

export type Fields = Readonly<Record<string, unknown>>;

/** Names for the fields of a story; for each field the first name with a non-empty value counts. */
export const FIELD_NAMES = {
  id: split('id storyid taskid issueid featureid ticketid key number ref'),
  title: split('title name summary story task feature text subject requirement'),
  description: split('description desc details userstory content goal body'),
  acceptanceCriteria: split(
    'acceptancecriteria acceptance acceptancetests criteria successcriteria definitionofdone donewhen steps',
  ),
  dependsOn: split('dependson dependencies dependency deps blockedby prerequisites requires after'),
  priority: split('priority prio moscow rank order severity importance'),
  notes: split('notes completionnotes comments note'),
};

export type Role = keyof typeof FIELD_NAMES;

/** Names for everything else; the surest first. */
export const NAMES = {
  /** Flags that tell whether a story is done. */
  done: split(
    'passes passed passing done isdone completed iscompleted complete iscomplete implemented finished isfinished checked ' +
      'closed shipped resolved status state taskstatus storystatus completionstatus implementationstatus fixed verified live',
  ),
  /** Flags that only describe work, while `status` can describe anything. */
  doneForSure: split('passes passed done completed complete implemented fixed'),
  /** `1` is a flag under these names; under others (`completed: 1`) it may be a count. */
  doneNumber: split('passes passed done isdone checked implemented iscompleted'),
  /** Flags only when true or false: as words they describe how something was found out. */
  doneBoolean: split('verified fixed live'),
  /** The status word inside an object that stands in place of a flag. */
  doneInside: split('state status done isdone passes passed completed complete value name'),
  /** Used when no other field says that the story is done. */
  progress: split('progress percentcomplete percentdone completionpercentage'),
  /** A date under these names means that the story is done, if no other field says anything. */
  doneDate: split('completedat completeddate completiondate datecompleted doneat finishedat completedon'),
  /** A verdict in one word, where nothing else says whether a story is done. */
  verdict: split('result verdict outcome'),
  /** Why something was closed. */
  resolution: split('statereason resolution'),
  /** Entries that a tool only keeps for the history. */
  gone: split('deleted isdeleted archived isarchived removed isremoved trashed'),
  goneDate: split('deletedat archivedat removedat trashedat'),
  /** Lists of stories of which one is the current one. */
  contexts: split('tags versions prds plans lists backlogs projects contexts branches'),
  contextName: split('id name title version tag slug'),
  isCurrent: split('current iscurrent active isactive'),
  /** What names the current one. */
  current: split(
    'current active currenttag activetag currentversion activeversion currentprd activeprd currentplan activeplan ' +
      'currentlist activelist currentbacklog activebacklog currentproject activeproject currentcontext currentbranch',
  ),
  /** What blocks a story: a plain flag, or the reason next to one. */
  hold: split('blocked isblocked skipped skip cancelled canceled obsolete wontfix'),
  holdReason: split('blockedreason blockreason blockingreason blocker skipreason'),
  text: split('title name summary story task feature description desc text content userstory requirement goal subject'),
  criterionText: split('text description criterion criteria title name requirement condition content step action'),
  checks: split(
    'verifycommands verifycommand verification verify testcommand testcommands testcmd buildcommand lintcommand ' +
      'typecheckcommand checkcommand checkcommands verificationcommand verificationcommands validationcommand test ' +
      'validation validationcommands checks precommit qualitygates qualitychecks',
  ),
  project: split('project projectname name title productname product'),
  /** Lists of stories; `likely` names mean other things just as often. */
  sureLists: split('userstories stories tasks workitems workunits todos tickets'),
  likelyLists: split('features issues units chunks actionitems todo todolist backlog items'),
  weakLists: split('checklist requirements'),
  /** Only lists whose items have flags: without flags these are prose. */
  flaggedLists: split('steps implementationsteps bugs fixes improvements enhancements deliverables'),
  /** Lists with flags that count as work when the document has no list with a surer name. */
  lastLists: split('goals objectives slices jobs actions'),
  groups: split(
    'phases epics milestones sprints sections groups stages iterations modules categories tracks workstreams waves areas ' +
      'releases roadmap quarters',
  ),
  wrappers: split('prd plan project product data master implementationplan roadmap'),
  /** A board's columns as a list, and the content of a column. */
  boards: split('columns lists swimlanes'),
  cards: split('tasks cards items issues stories tickets'),
  /** Objects whose keys are the columns of a board. */
  columnMaps: split('columns board tasks stories backlog'),
};

export function split(names: string): readonly string[] {
  return names.split(' ');
}

/** Cached: folding is most of the work of reading a long backlog, which has few distinct keys. */
const foldedKeys = new Map<string, string>();
const MOST_CACHED = 1_000;

export function foldKey(key: string): string {
  const known = foldedKeys.get(key);
  if (known !== undefined) return known;
  const folded = key.toLowerCase().replace(/[\s_.-]+/g, '');
  if (foldedKeys.size < MOST_CACHED) foldedKeys.set(key, folded);
  return folded;
}

/** The last object's keys by their folded name: stories in one file mostly have the same keys. */
let last: { fields: Fields; readonly keys: readonly string[]; readonly index: ReadonlyMap<string, string> } | null =
  null;

/** The key of an object with a folded name, as written there. Of two keys that fold alike, the first counts. */
export function keyCalled(fields: Fields, name: string): string | undefined {
  if (last?.fields === fields) return last.index.get(name);
  const keys = Object.keys(fields);
  const { length } = keys;
  if (last?.keys.length === length && last.keys.every((key, at) => key === keys[at])) last.fields = fields;
  else last = { fields, keys, index: new Map(keys.map((key): [string, string] => [foldKey(key), key]).reverse()) };
  return last.index.get(name);
}

/** The members of an object with any of the (folded) names, in the order of the names; none for any other value. */
export function membersCalled(
  node: unknown,
  names: readonly string[],
): { readonly name: string; readonly key: string; readonly value: unknown }[] {
  if (!isFields(node)) return [];
  return names.flatMap((name) => {
    const key = keyCalled(node, name);
    return key === undefined ? [] : [{ name, key, value: node[key] }];
  });
}

/** The value under the first of the folded names that the object has. */
export function valueCalled(fields: Fields, ...names: readonly string[]): unknown {
  return membersCalled(fields, names).find(({ value }) => value !== undefined && value !== null)?.value;
}

export function hasAny(fields: Fields, names: readonly string[]): boolean {
  return names.some((name) => keyCalled(fields, name) !== undefined);
}

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export interface Item {
  /** Index in an array, key in a map. */
  readonly key: string | number;
  readonly fields: Fields;
}

export function itemsOf(node: unknown): Item[] {
  const entries: [string | number, unknown][] = Array.isArray(node)
    ? [...node.entries()]
    : isFields(node)
      ? Object.entries(node)
      : [];
  return entries.flatMap(([key, fields]) => (isFields(fields) ? [{ key, fields }] : []));
}
