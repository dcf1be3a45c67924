import { type Fields, foldKey, isFields, keyCalled, valueCalled } from './keys.ts';
import { isStory, itemsOf, type Path, type StoryList } from './prd-list.ts';
import { isFinished, isUnfinished } from './prd-siblings.ts';
import { standingOf } from './status-words.ts';

const BOARDS = ['columns', 'lists', 'swimlanes'];
const CARDS = ['tasks', 'cards', 'items', 'issues', 'stories', 'tickets'];

/** The columns of a board as a list, `[{"name": "Done", "cards": […]}]`: a column says how far what is in it has come. */
export function boardIn(node: unknown, path: Path): readonly StoryList[] {
  if (!isFields(node)) return [];
  for (const name of BOARDS) {
    const key = keyCalled(node, name);
    const columns = key === undefined || !Array.isArray(node[key]) ? [] : itemsOf(node[key]);
    const named = columns.map((column) => ({ ...column, standing: standingOfColumn(column.fields) }));
    if (!named.some(({ standing }) => standing !== null)) continue;
    const found = named.flatMap(({ key: at, fields, standing }) =>
      cardsOf(fields, [...path, key ?? name, at], standing),
    );
    if (found.length > 0) return found;
  }
  const board = keyCalled(node, 'board');
  return board === undefined ? [] : boardIn(node[board], [...path, board]);
}

function cardsOf(column: Fields, path: Path, done: boolean | null): StoryList[] {
  for (const name of CARDS) {
    const key = keyCalled(column, name);
    const cards = key === undefined ? null : column[key];
    if (key === undefined || !Array.isArray(cards)) continue;
    const items = itemsOf(cards).filter(isStory);
    if (items.length > 0) return [{ path: [...path, key], items, size: cards.length, done: done ?? false }];
  }
  return [];
}

/** Whether what is in a column is done; null for a name that says nothing. */
function standingOfColumn(column: Fields): boolean | null {
  for (const name of ['name', 'title', 'status', 'id']) {
    const value = valueCalled(column, name);
    if (typeof value !== 'string') continue;
    if (isFinished(foldKey(value)) || standingOf(value) === 'done') return true;
    if (isUnfinished(foldKey(value))) return false;
  }
  return null;
}
