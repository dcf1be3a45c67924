import { words } from '../../text/index.ts';

/*
 * How other tools and people name things in JSON: one table of synonyms, and one finder. Names are folded (lower case,
 * without separators), so that `user_stories`, `userStories` and `User Stories` are the same.
 */

/** An object of a JSON document. */
export type Fields = Readonly<Record<string, unknown>>;

/** Names for the fields of a story; for each field the first name with a non-empty value counts. */
export const NAMES = {
  id: words('id storyid taskid issueid featureid ticketid key number ref'),
  title: words('title name summary story task feature text subject requirement'),
  description: words('description desc details userstory content goal body'),
  acceptanceCriteria: words(
    'acceptancecriteria acceptance acceptancetests criteria successcriteria definitionofdone donewhen steps',
  ),
  dependsOn: words('dependson dependencies dependency deps blockedby prerequisites requires after'),
  priority: words('priority prio moscow rank order severity importance'),
  notes: words('notes completionnotes comments note'),
} as const;

export type Role = keyof typeof NAMES;

/** Flags that tell whether a story is done. */
export const DONE_KEYS = words(
  'passes passed passing done isdone completed iscompleted complete iscomplete implemented finished isfinished checked ' +
    'closed shipped resolved status state taskstatus storystatus completionstatus implementationstatus fixed verified live',
);
/** Flags that only describe work, while `status` can describe anything. */
export const SURE_FLAGS = words('passes passed done completed complete implemented fixed');
/** `1` is a flag under these names; under others (`completed: 1`) it may be a count. */
export const NUMBER_FLAGS = words('passes passed done isdone checked implemented iscompleted');
/** Flags only when true or false: as words they describe how something was found out. */
export const BOOLEAN_FLAGS = words('verified fixed live');
/** Names for the status word inside an object that stands in place of a flag. */
export const INNER_FLAGS = words('state status done isdone passes passed completed complete value name');
/** Names for a story's progress, used when no other field says that it is done. */
export const PROGRESS_KEYS = words('progress percentcomplete percentdone completionpercentage');
/** A date under these names means that the story is done, if no other field says anything. */
export const DATES = words('completedat completeddate doneat finishedat completedon');
/** Names for what blocks a story: a reason, or a plain flag next to one. */
export const REASONS = words('blockedreason blockreason blockingreason blocker skipreason');
export const HOLDS = words('blocked isblocked skipped skip cancelled canceled obsolete wontfix');

/** Names for texts that can serve as an item's title. */
export const TEXT_KEYS = words(
  'title name summary story task feature description desc text content userstory requirement goal subject',
);
/** The text of a criterion that is an object. */
export const CRITERION_TEXTS = words(
  'text description criterion criteria title name requirement condition content step action',
);
/** Names for the commands that verify a story. */
export const CHECKS = words(
  'verifycommands verifycommand verification verify testcommand testcommands testcmd buildcommand lintcommand ' +
    'typecheckcommand checkcommand checkcommands verificationcommand verificationcommands validationcommand test ' +
    'validation validationcommands checks precommit qualitygates qualitychecks',
);
export const PROJECT_NAMES = words('project projectname name title productname product');

/** Lists of stories, the surest first; `likely` names mean other things just as often. */
export const SURE_LISTS = words('userstories stories tasks workitems workunits todos tickets');
export const LIKELY_LISTS = words('features issues units chunks actionitems todo todolist backlog items');
export const WEAK_LISTS = words('checklist requirements');
/** Only lists whose items have flags: without flags these are prose. */
export const FLAGGED_LISTS = words('steps implementationsteps bugs fixes improvements enhancements deliverables');
/** Lists with flags that count as work when the document has no list with a surer name. */
export const LAST_LISTS = words('goals objectives slices jobs actions');
/** Names for groups of story lists. */
export const GROUPS = words(
  'phases epics milestones sprints sections groups stages iterations modules categories tracks workstreams waves areas ' +
    'releases roadmap quarters',
);
/** Objects that only wrap the document. */
export const WRAPPERS = words('prd plan project product data master implementationplan roadmap');
/** Names for a board's columns as a list, and for the content of a column. */
export const BOARDS = words('columns lists swimlanes');
export const CARDS = words('tasks cards items issues stories tickets');
/** Objects whose keys are the columns of a board. */
export const COLUMN_MAPS = words('columns board tasks stories backlog');

/** Cached: folding is most of the work of reading a long backlog, which has few distinct keys. */
const foldedKeys = new Map<string, string>();
const REMEMBERED = 1_000;

/** A key in the form in which names are compared: lower case, without separators. */
export function foldKey(key: string): string {
  const known = foldedKeys.get(key);
  if (known !== undefined) return known;
  const folded = key.toLowerCase().replace(/[\s_.-]+/g, '');
  if (foldedKeys.size < REMEMBERED) foldedKeys.set(key, folded);
  return folded;
}

/** The last object's keys by their folded name: stories in one file mostly have the same keys. */
let last: { fields: Fields; readonly keys: readonly string[]; readonly index: ReadonlyMap<string, string> } | null =
  null;

/**
 * The key of an object with a folded name, as written there; undefined when there is none. Of two keys that fold alike,
 * the first counts.
 */
export function keyCalled(fields: Fields, name: string): string | undefined {
  if (last?.fields === fields) return last.index.get(name);
  const keys = Object.keys(fields);
  const { length } = keys;
  if (last?.keys.length === length && last.keys.every((key, at) => key === keys[at])) last.fields = fields;
  else last = { fields, keys, index: new Map(keys.map((key): [string, string] => [foldKey(key), key]).reverse()) };
  return last.index.get(name);
}

/** A member of an object: its key as written, the folded name that matched, and its value. */
interface Member {
  readonly name: string;
  readonly key: string;
  readonly value: unknown;
}

/** The members of an object with any of the names, in the order of the names; none for any other value. */
export function membersCalled(node: unknown, names: readonly string[]): Member[] {
  if (!isFields(node)) return [];
  return names.flatMap((name) => {
    const key = keyCalled(node, name);
    return key === undefined ? [] : [{ name, key, value: node[key] }];
  });
}

/** The value under a folded name. */
export function valueCalled(fields: Fields, name: string): unknown {
  const key = keyCalled(fields, name);
  return key === undefined ? undefined : fields[key];
}

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
