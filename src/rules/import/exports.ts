import { jsonValue } from '../../contracts/index.ts';
import { type Fields, foldKey, isEmpty, isFields } from '../backlog/index.ts';
import { words } from '../text/index.ts';
import { issueParts } from './issues.ts';

/**
 * Exports of trackers: tables (CSV), and the JSON of their APIs. Each issue becomes an entry with the names that
 * backlogs have, and the tables below say which column is which; what remains is kept under `tracker`.
 */

/** The names of columns and members for each field of a story, folded, the surest first. */
const COLUMNS = {
  id: words('issuekey key identifier iid number taskcustomid taskid workitemid storyid issueid idshort id #'),
  title: words('summary title name taskname issuetitle userstory story task subject'),
  description: words('description body desc taskcontent notes content'),
  criteria: words('acceptancecriteria acceptance checklists checklist tasks criteria definitionofdone'),
  kind: words('statuscategory'),
  status: words('status state sectioncolumn section column stage'),
  completed: words('completedat completed datecompleted iscompleted done'),
  resolution: words('resolution statereason'),
  archived: words('isarchived archived'),
  priority: words('prioritylabel priority'),
  labels: words('labels tags label'),
  url: words('weburl htmlurl shorturl issueurl url'),
  dependsOn: words(
    'inwardissuelinkblocks inwardissuelinkdepends outwardissuelinkdepends blockedbydependencies blockedby dependson ' +
      'dependencies predecessors',
  ),
} as const;

type Column = keyof typeof COLUMNS;

/** The issues of a table or of an API's answer as the JSON of a backlog; null for any other text. */
export function readExport(form: 'table' | 'json', text: string): string | null {
  const issues = form === 'table' ? rowsOf(text) : issuesIn(jsonValue(text.replace(/^\uFEFF/, '')));
  if (issues === null || issues.length === 0) return null;
  return JSON.stringify({ userStories: issues.map(storyOf) }, null, 2);
}

/** Lines that may stand above the names of the columns. */
const MOST_ABOVE = 10;

/** The rows below the names of columns: one for titles, and one more of those that stories need. */
function rowsOf(text: string): readonly Fields[] | null {
  const all = readTable(text);
  const at = all.slice(0, MOST_ABOVE).findIndex((row) => {
    const names = row.map(nameOf);
    const has = (column: Column) => COLUMNS[column].some((name) => names.includes(name));
    return has('title') && (['id', 'status', 'description', 'priority'] as const).some(has);
  });
  const [header = [], ...rows] = all.slice(at);
  if (at < 0) return null;
  return rows
    .filter((row) => row.some((cell) => cell.trim() !== ''))
    .map((row) => {
      const cells = new Map<string, string[]>();
      // Some columns stand there several times, one label each.
      for (const [at, name] of header.entries()) {
        const cell = row[at]?.trim() ?? '';
        if (cell !== '' && cell !== 'null') cells.set(name.trim(), [...(cells.get(name.trim()) ?? []), cell]);
      }
      return Object.fromEntries([...cells].map(([name, all]) => [name, all.length > 1 ? all : all[0]]));
    });
}

/** The cells of CSV with commas, semicolons or tabs; quoted ones may hold all of them, and line breaks. */
function readTable(text: string): readonly (readonly string[])[] {
  const body = text.replace(/^\uFEFF/, '');
  const first = body.slice(0, body.search(/[\r\n]|$/));
  const count = (mark: string) => first.split(mark).length;
  const [mark = ','] = [',', ';', '\t'].toSorted((a, b) => count(b) - count(a));
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"[^${mark}\\r\\n]*|([^${mark}\\r\\n]*))(${mark}|\\r?\\n|\\r|$)`,
    'gy',
  );
  for (const [, quoted, plain = '', end = ''] of body.matchAll(cell)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === mark) continue;
    rows.push(row);
    row = [];
    if (end === '') break;
  }
  return rows;
}

/** `Custom field (Acceptance Criteria)` and `Microsoft.VSTS.Common.AcceptanceCriteria` → `acceptancecriteria`. */
function nameOf(column: string): string {
  const inner = /^Custom field \((.*)\)$/i.exec(column.trim())?.[1] ?? column;
  return foldKey(/^(?:System|Microsoft)\.(?:.*\.)?(\w+)$/.exec(inner)?.[1] ?? inner).replace(/[()/]/g, '');
}

const DEEPEST = 5;

/** The first list of issues in what an API answered, each with its own fields on top. */
function issuesIn(node: unknown, depth = 0): readonly Fields[] | null {
  if (depth > DEEPEST || node === null || typeof node !== 'object') return null;
  if (Array.isArray(node)) {
    const entries = node.filter(isFields).map((entry) => (isFields(entry['node']) ? entry['node'] : entry));
    return entries.length > 0 && entries.length === node.length && entries.every(isIssue) ? entries.map(flat) : null;
  }
  const board = cardsOf(node as Fields);
  if (board !== null) return board;
  for (const value of Object.values(node)) {
    const found = issuesIn(value, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Issues of Jira and Azure have their fields one level down, those of GitHub's projects too; others have an address. */
function isIssue(entry: Fields): boolean {
  const has = (...names: readonly string[]) => names.some((name) => typeof entry[name] === 'string');
  if (innerOf(entry) !== null) return true;
  const isNumbered = 'number' in entry || 'iid' in entry;
  return has('title') && 'state' in entry && (has('identifier') || (isNumbered && has('url', 'html_url', 'web_url')));
}

function innerOf({ fields, content }: Fields): Fields | null {
  if (isFields(fields) && ('summary' in fields || 'System.Title' in fields)) return fields;
  return isFields(content) && 'title' in content && /^(?:Draft)?Issue$/.test(String(content['type'])) ? content : null;
}

function flat(entry: Fields): Fields {
  const { fields: _fields, content: _content, ...own } = entry;
  return { ...own, ...innerOf(entry) };
}

/** The cards of Trello: a list's name is their status, checklists are beside them. */
function cardsOf({ cards, lists, checklists }: Fields): readonly Fields[] | null {
  if (!Array.isArray(cards) || !Array.isArray(lists) || !cards.every((card) => isFields(card) && 'idList' in card))
    return null;
  const byId = new Map(lists.filter(isFields).map((list) => [list['id'], list]));
  return cards.filter(isFields).map((card) => {
    const list = byId.get(card['idList']);
    const own = (Array.isArray(checklists) ? checklists : []).filter(isFields);
    const items = own.filter(({ idCard }) => idCard === card['id']).flatMap(({ checkItems }) => checkItems ?? []);
    const isOut = card['closed'] === true || list?.['closed'] === true;
    return { ...card, archived: isOut, status: list?.['name'] ?? '', checklists: items };
  });
}

/** One issue with the names of a backlog. A column that is the source of no field stays under `tracker`. */
function storyOf(issue: Fields): Fields {
  const names = new Map(Object.keys(issue).map((key) => [nameOf(key), key]));
  const taken = new Set<string>();
  const take = (column: Column): unknown => {
    const keys = COLUMNS[column].flatMap((name) => names.get(name) ?? []);
    const key = keys.find((each) => !isEmpty(issue[each]) && !taken.has(each));
    if (key === undefined) return undefined;
    taken.add(key);
    return issue[key];
  };
  // Linear's 0 is no priority.
  const text = (column: Column) => textOf(take(column) || '').trim();
  const list = (column: Column) => linesOf(textOf(take(column)));
  const ids = (all: readonly string[]) => all.flatMap((each) => each.split(/[,;]\s*/));
  const [id, title, parts, criteria] = [text('id'), text('title'), issueParts(text('description')), list('criteria')];
  const state = take('status');
  const [status, completed] = [textOf(state).trim(), text('completed')];
  // A team may call its states what it likes; their kind is fixed.
  const kind = text('kind') || (isFields(state) ? textOf(state['statusCategory'] ?? state['type']) : '');
  const isOver = /^(?:done|completed|canceled)$/i.test(kind);
  const isDone = /\d{4}|^(?:true|yes|x)$/i.test(completed) && !/cancel/i.test(status);
  const story = {
    id,
    title,
    description: parts.description,
    acceptanceCriteria: criteria.length > 0 ? criteria : parts.criteria,
    status: isOver ? kind : isDone ? 'done' : status,
    statusInTracker: isOver || isDone ? status : '',
    resolution: text('resolution'),
    archived: /\d{4}|^true$/i.test(text('archived')) ? true : null,
    priority: text('priority'),
    dependsOn: ids([...list('dependsOn'), ...linked(issue), ...parts.needs.map(String)]),
    labels: ids(list('labels')),
    url: text('url'),
    tracker: Object.fromEntries(Object.entries(issue).filter(([key, value]) => !taken.has(key) && !isEmpty(value))),
  };
  return Object.fromEntries(Object.entries(story).filter(([, value]) => !isEmpty(value)));
}

/** The issues that block this one, as Jira, Azure and Linear list links. */
function linked({ issuelinks, relations, inverseRelations }: Fields): readonly string[] {
  const links = [issuelinks, relations, inverseRelations].flatMap((each) => {
    const all = isFields(each) ? each['nodes'] : each;
    return Array.isArray(all) ? all.filter(isFields) : [];
  });
  return links.flatMap((link) => {
    const { type, inwardIssue, rel, url, issue } = link;
    const kind = isFields(type) ? String(type['inward']) : String(type);
    if (isFields(inwardIssue) && /blocked by|depends on/i.test(kind)) return [String(inwardIssue['key'])];
    if (String(rel).endsWith('Dependency-Reverse')) return [String(url).replace(/.*\//, '')];
    return isFields(issue) && kind === 'blocks' ? [String(issue['identifier'])] : [];
  });
}

/** A value as text: the name of an object, lists by line, documents of Jira and HTML without their marks. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => textOf(each).trim()).join('\n');
  if (isFields(value)) {
    const { nodes, content, text, type } = value;
    if (Array.isArray(nodes)) return textOf(nodes);
    if (typeof text === 'string') return text;
    if (!Array.isArray(content)) return textOf(value['key'] === 'done' ? 'done' : (value['name'] ?? ''));
    const isBlock = /paragraph|heading|listItem|codeBlock|hardBreak/.test(String(type));
    return `${type === 'listItem' ? '- ' : ''}${content.map(textOf).join('').trim()}${isBlock ? '\n' : ''}`;
  }
  const said = value === null || value === undefined ? '' : String(value);
  if (!/^\s*<(?:div|p|ul|ol|span|b|h\d)\b/i.test(said)) return said;
  const lines = said.replace(/<li\b[^>]*>/gi, '- ').replace(/<br\b[^>]*>|<\/(?:li|p|div|h\d)>/gi, '\n');
  const entities: Fields = { nbsp: ' ', lt: '<', gt: '>', quot: '"', amp: '&' };
  return lines.replace(/<[^>]*>/g, '').replace(/&(\w+);/g, (whole, name) => String(entities[name] ?? whole));
}

/** The entries of a list in a text: of one in brackets, else its lines, without their bullets. */
function linesOf(text: string): readonly string[] {
  const value = /^[[{]/.test(text) ? jsonValue(text) : null;
  if (value !== null && typeof value === 'object') return Object.values(value).flat().map(textOf);
  const lines = text.replace(/^\[([^[\]]*)\]$/, '$1').split(/\r?\n|;(?=\s*\[)/);
  const bare = lines.map((line) => line.replace(/^\s*(?:[-*#•]+|\d+[.)])?\s*(?:\[[ xX]\])?\s*/, '').trim());
  return bare.filter((line) => line !== '');
}
