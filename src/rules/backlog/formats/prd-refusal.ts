import type { BacklogFormat, Problem } from '../../../contracts/model.ts';
import { lineAt } from '../lines.ts';
import { foldKey, isFields } from './keys.ts';
import { hasFlag, isStory, itemsOf } from './prd-list.ts';

/** How much of what was found instead of stories a refusal names. */
const NAMED = 3;
const DEEPEST = 16;

/** Why a JSON document is no backlog, with what was found in it instead. */
export function noStories(value: unknown, text: string, file: string, asked: BacklogFormat): Problem {
  const base = { severity: 'error', rule: 'schema/no-stories', file, line: lineAt(text, text.search(/\S/)) } as const;
  if (!Array.isArray(value) && !isFields(value)) {
    const message = 'the file must hold an object with a list of stories';
    return { ...base, message, mend: 'Write {"userStories": [ … ]}.' };
  }
  const found = findings(value);
  if (asked === 'tasks-json' && found.length === 0) {
    return {
      ...base,
      rule: 'schema/required',
      message: '"userStories" is missing',
      mend: 'Add "userStories": an array of stories.',
    };
  }
  const shown = found
    .toSorted((a, b) => b.count - a.count)
    .slice(0, NAMED)
    .map(({ count, place, why }) => `${count} ${count === 1 ? 'entry' : 'entries'} under ${place} ${why(count)}`);
  return {
    ...base,
    message: `no list of stories was found in this document${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`,
    mend: 'Put the stories into "userStories", each with an "id", a "title" and "passes".',
  };
}

interface Finding {
  readonly place: string;
  count: number;
  readonly why: (count: number) => string;
}

const noFlag = (count: number): string => (count === 1 ? 'has no done flag' : 'have no done flag');
const plainText = (count: number): string =>
  count === 1 ? 'is plain text' : 'are plain text, without a place for a done flag';
const notWork = (count: number): string =>
  count === 1 ? 'has a status, but is not called a story' : 'have a status, but are not called stories';

/** Lists that come nearest to a backlog; several in one object are told as one: "21 entries under requirements.functional". */
function findings(document: unknown): Finding[] {
  const found: { readonly path: readonly string[]; readonly count: number; readonly why: Finding['why'] }[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    if (path.length > DEEPEST) return;
    if (isFields(node)) for (const [key, value] of Object.entries(node)) visit(value, [...path, key]);
    if (!Array.isArray(node)) return;
    const items = itemsOf(node);
    const texts = node.filter((entry) => typeof entry === 'string').length;
    if (items.length > 0 && items.every(isStory)) {
      found.push({ path, count: items.length, why: items.every(({ fields }) => hasFlag(fields)) ? notWork : noFlag });
    } else if (
      texts > 0 &&
      /(?:stories|tasks|todos?|features|items|issues|backlog)$/.test(foldKey(path.at(-1) ?? ''))
    ) {
      found.push({ path, count: texts, why: plainText });
    }
  };
  visit(document, []);
  const merged = new Map<string, Finding>();
  for (const { path, count, why } of found) {
    const parent = path.slice(0, -1);
    const shared = parent.length > 0 && found.filter((other) => isInside(other.path, parent)).length > 1;
    const place = (shared ? parent : path).join('.') || 'the top';
    const known = merged.get(place);
    if (known) known.count += count;
    else merged.set(place, { place, count, why });
  }
  return [...merged.values()];
}

function isInside(path: readonly string[], parent: readonly string[]): boolean {
  return path.length === parent.length + 1 && parent.every((key, index) => path[index] === key);
}
