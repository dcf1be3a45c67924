import { type Fields, foldKey, isFields, valueCalled } from './keys.ts';
import { hasFlag, isStory, itemsOf, type Path, type StoryList } from './prd-list.ts';

const NOUN = '(?:userstories|stories|tasks|features|items|issues|tickets|todos|workitems)';
const NOUN_AT_END = new RegExp(`${NOUN}$`);
/** `completedTasks`, `done`: what is in it is done unless it says otherwise. */
const FINISHED = new RegExp(`^(?:completed|complete|done|finished|closed|shipped)${NOUN}?$`);
const UNFINISHED = new RegExp(
  `^(?:pending|remaining|open|todo|backlog|active|inprogress|doing|current|upcoming|next|ready|review|inreview)${NOUN}?$`,
);
const MORE = new RegExp(
  `^(?:(?:technical|additional|extra|setup|infrastructure|backend|frontend|followup|maintenance)${NOUN}|` +
    '(?:known)?bugs|bug(?:fixes|reports|s)|(?:hot)?fixes|chores|improvements|enhancements|refactor(?:s|ings)|techdebt|spikes)$',
);

/** Whether a list of this name goes on with another list of stories. */
export function goesOn(folded: string): boolean {
  return MORE.test(folded);
}

export function isFinished(folded: string): boolean {
  return FINISHED.test(folded);
}

export function isUnfinished(folded: string): boolean {
  return UNFINISHED.test(folded);
}

/** Lists that the state of their stories names, as on a board: at least two of them make a backlog. */
export function columnsIn(node: unknown, path: Path): readonly StoryList[] {
  if (!isFields(node)) return [];
  const columns = stateLists(node, path);
  if (columns.length > 1) return columns;
  for (const name of ['columns', 'board', 'tasks', 'stories', 'backlog']) {
    const key = Object.keys(node).find((other) => foldKey(other) === name);
    const inner = key === undefined ? undefined : node[key];
    const found = isFields(inner) && key !== undefined ? stateLists(inner, [...path, key]) : [];
    if (found.length > 1) return found;
  }
  return [];
}

/** The lists beside a list of stories that go on with it: `technicalTasks`, or `completedTasks` with others in it. */
export function addSiblings(node: Fields, path: Path, key: string, found: readonly StoryList[]): readonly StoryList[] {
  const main = foldKey(key);
  const names = new Set(found.flatMap((list) => list.items.map(({ fields }) => nameOf(fields))));
  // Of the same kind as the list itself: `completedFeatures` beside `tasks` is a summary of something else.
  const states = stateLists(node, path).filter((list) => {
    const noun = NOUN_AT_END.exec(foldKey(String(list.path.at(-1))))?.[0];
    return noun !== undefined && (main.endsWith(noun) || noun.endsWith(main));
  });
  const more = [...states, ...listsCalled(node, path, MORE, null)].filter(
    (list) => list.path.at(-1) !== key && list.items.every(({ fields }) => !names.has(nameOf(fields))),
  );
  if (more.length === 0) return found;
  const order = Object.keys(node);
  const position = (list: StoryList): number => order.indexOf(String(list.path[path.length]));
  return [...found, ...more].toSorted((a, b) => position(a) - position(b));
}

function stateLists(node: Fields, path: Path): readonly StoryList[] {
  return [...listsCalled(node, path, FINISHED, true), ...listsCalled(node, path, UNFINISHED, false)].toSorted(
    (a, b) => Object.keys(node).indexOf(String(a.path.at(-1))) - Object.keys(node).indexOf(String(b.path.at(-1))),
  );
}

function listsCalled(node: Fields, path: Path, pattern: RegExp, done: boolean | null): StoryList[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (!Array.isArray(value) || !pattern.test(foldKey(key))) return [];
    const items = itemsOf(value);
    const whole = items.length > 0 && items.length === value.length && items.every(isStory);
    return whole && (done !== null || items.some(({ fields }) => hasFlag(fields)))
      ? [{ path: [...path, key], items, size: value.length, done }]
      : [];
  });
}

function nameOf(fields: Fields): string {
  const name = valueCalled(fields, 'id') ?? valueCalled(fields, 'title') ?? fields;
  return typeof name === 'string' ? name : JSON.stringify(name);
}
