/*
 * How other tools and people name things in JSON: one table of synonyms, and one finder. Names are folded (lower case,
 * without separators), so that `user_stories`, `userStories` and `User Stories` are the same.
 */

import { words } from '../../text/index.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Names for the fields of a story; for each field the first name with a non-empty value counts. */
export const FIELD_NAMES = {
  id: words('id storyid taskid issueid featureid ticketid key number nr identifier ref slug uid'),
  title: words('title name summary story task feature text subject requirement headline heading objective todo'),
  description: words('description desc details userstory content goal body'),
  acceptanceCriteria: words(
    'acceptancecriteria acceptance acceptancetests criteria successcriteria definitionofdone donewhen ac acs dod ' +
      'exitcriteria passcriteria validationcriteria expectedoutcomes expectedresults expectedbehavior scenarios ' +
      'verificationsteps teststeps steps checklist requirements',
  ),
  dependsOn: words(
    'dependson dependencies dependency deps depends dependsupon dependenton blockedby prerequisites prereqs requires ' +
      'relieson waitsfor waitson predecessors after',
  ),
  priority: words('priority prio moscow rank order severity importance'),
  notes: words('notes completionnotes comments note'),
};

export type Role = keyof typeof FIELD_NAMES;

/** Names for everything else; the surest first. */
export const NAMES = {
  /** Flags that tell whether a story is done. */
  done: words(
    'passes passed passing done isdone completed iscompleted complete iscomplete implemented finished isfinished checked ' +
      'closed shipped resolved status state taskstatus storystatus completionstatus implementationstatus fixed verified live',
  ),
  /** Flags that only describe work, while `status` can describe anything. */
  doneForSure: words('passes passed done completed complete implemented fixed'),
  /** `1` is a flag under these names; under others (`completed: 1`) it may be a count. */
  doneNumber: words('passes passed done isdone checked implemented iscompleted'),
  /** Flags only when true or false: as words they describe how something was found out. */
  doneBoolean: words('verified fixed live'),
  /** The status word inside an object that stands in place of a flag. */
  doneInside: words('state status done isdone passes passed completed complete value name'),
  /** Used when no other field says that the story is done. */
  progress: words('progress percentcomplete percentdone completionpercentage'),
  /** A date under these names means that the story is done, if no other field says anything. */
  doneDate: words('completedat completeddate completiondate datecompleted doneat finishedat completedon'),
  /** A verdict in one word, where nothing else says whether a story is done. */
  verdict: words('result verdict outcome'),
  /** Why something was closed. */
  resolution: words('statereason resolution'),
  /** Entries that a tool only keeps for the history. */
  gone: words('deleted isdeleted archived isarchived removed isremoved trashed'),
  goneDate: words('deletedat archivedat removedat trashedat'),
  /** Lists of stories of which one is the current one. */
  contexts: words('tags versions prds plans lists backlogs projects contexts branches'),
  contextName: words('id name title version tag slug'),
  isCurrent: words('current iscurrent active isactive'),
  /** What names the current one. */
  current: words(
    'current active currenttag activetag currentversion activeversion currentprd activeprd currentplan activeplan ' +
      'currentlist activelist currentbacklog activebacklog currentproject activeproject currentcontext currentbranch',
  ),
  /** What blocks a story: a plain flag, or the reason next to one. */
  hold: words('blocked isblocked skipped skip cancelled canceled obsolete wontfix'),
  holdReason: words('blockedreason blockreason blockingreason blocker skipreason'),
  text: words(
    'title name summary story task feature description desc text content userstory requirement goal subject headline ' +
      'heading objective todo',
  ),
  criterionText: words('text description criterion criteria title name requirement condition content step action'),
  checks: words(
    'verifycommands verifycommand verification verify testcommand testcommands testcmd buildcommand lintcommand ' +
      'typecheckcommand checkcommand checkcommands verificationcommand verificationcommands validationcommand test ' +
      'validation validationcommands checks precommit qualitygates qualitychecks',
  ),
  project: words('project projectname name title productname product'),
  /** Lists of stories; `likely` names mean other things just as often. */
  sureLists: words('userstories stories tasks workitems workunits todos tickets'),
  likelyLists: words('features issues units chunks actionitems todo todolist backlog items'),
  weakLists: words('checklist requirements'),
  /** Only lists whose items have flags: without flags these are prose. */
  flaggedLists: words('steps implementationsteps bugs fixes improvements enhancements deliverables'),
  /** Lists with flags that count as work when the document has no list with a surer name. */
  lastLists: words('goals objectives slices jobs actions'),
  groups: words(
    'phases epics milestones sprints sections groups stages iterations modules categories tracks workstreams waves areas ' +
      'releases roadmap quarters',
  ),
  wrappers: words('prd plan project product data master implementationplan roadmap'),
  /** A board's columns as a list, and the content of a column. */
  boards: words('columns lists swimlanes'),
  cards: words('tasks cards items issues stories tickets'),
  /** Objects whose keys are the columns of a board. */
  columnMaps: words('columns board tasks stories backlog'),
};

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

/** The key for a role in a story; null when there is none, or all are empty. */
export function keyOf(fields: Fields, role: Role): string | null {
  const present = membersCalled(fields, FIELD_NAMES[role]);
  return (present.find(({ value }) => !isEmpty(value)) ?? present[0])?.key ?? null;
}

/** The title: one line, from the description when there is no title; null when there is neither. */
export function titleOf(fields: Fields): { readonly key: string; readonly title: string } | null {
  for (const role of ['title', 'description'] as const) {
    const key = keyOf(fields, role);
    const value = key === null ? null : fields[key];
    if (key !== null && typeof value === 'string' && value.trim() !== '') {
      return { key, title: value.trim().replace(/\s+/g, ' ') };
    }
  }
  return null;
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
