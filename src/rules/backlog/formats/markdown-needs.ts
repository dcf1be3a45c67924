import { looksLikeId } from './markdown-ids.ts';

/** What the stories of a plan are called. */
export interface Names {
  readonly ids: ReadonlySet<string>;
  /** In lower case. */
  readonly titles: ReadonlySet<string>;
}

/** Most lines say nothing of the kind. */
const HINT = /depend|block|requires|needs|after|wait|prereq|predecessor/i;
const STRONG = 'depend(?:s(?:[ -]on)?|enc(?:y|ies)|ing on|ent on)|blocked[ -]by|blockers?|waits for|waiting for';
/** These begin sentences of every kind: they only count before ids. */
const WEAK = 'requires|needs|after|prerequisites?|predecessors?';
const LABELLED = new RegExp(String.raw`^[\s*_(>-]*(?:(${STRONG})|${WEAK})[*_]*\s*:[*_]*\s*(.*)$`, 'i');
const INSIDE = /[(\s*_-]depend(?:s(?:[ -]on)?|encies)[*_]*\s*:[*_]*\s*([^)\]]*)/i;
const SENTENCE = new RegExp(String.raw`^[\s*_(>-]*(?:${STRONG}|${WEAK})\s+(.*?)[\s.)]*$`, 'i');
const IN_TITLE = new RegExp(String.raw`[([](?:${STRONG}|${WEAK}|blocked|deps)(?:\s*:\s*|\s+)([^)\]]*)`, 'gi');

const WORD = /^(task|story|step|issue|feature|item|phase|milestone|epic)(?:s|ies)?\s+#?/i;
const RANGE =
  /^([^\s\d]*(?:\d+\.)*)(\d+)\s*(?:[-\u2013\u2014\u2026]|\.{2,3}|\bto\b|\bthrough\b)\s*(?:[a-z]+ )?([^\s\d]*(?:\d+\.)*)(\d+)$/i;
/** More than that is a range of something else, such as years. */
const MOST = 500;

/**
 * What a line says that its story waits for: `depends on: US-001, US-002`, `Blocked by: T1–T3`, `Requires: Task 1`; null
 * when it says nothing of the kind.
 */
export function parseNeeds(line: string, names: Names): string[] | null {
  if (!HINT.test(line)) return null;
  const labelled = LABELLED.exec(line);
  if (labelled) {
    const found = namesIn(labelled[2] ?? '', names);
    return found.length > 0 || labelled[1] !== undefined ? found : null;
  }
  const inside = INSIDE.exec(line);
  if (inside) return namesIn(inside[1] ?? '', names);
  const sentence = line.length < 500 ? SENTENCE.exec(line) : null;
  return sentence && isNothingButNames(sentence[1] ?? '', names) ? namesIn(sentence[1] ?? '', names) : null;
}

/** The same of a title, which says it in brackets: `(blocked by T1)`, `(after T1, T2)`, `[depends on: T1]`. */
export function parseTitleNeeds(title: string, names: Names): string[] {
  if (!HINT.test(title)) return [];
  return [...title.matchAll(IN_TITLE)].flatMap((found) => namesIn(found[1] ?? '', names));
}

function namesIn(text: string, { ids, titles }: Names): string[] {
  let word = '';
  return text.split(/[,;&]|\band\b/i).flatMap((part): string[] => {
    const name = bare(part);
    if (ids.has(name)) return [name];
    word = WORD.exec(name)?.[1] ?? word;
    const rest = name.replace(WORD, '');
    // "Tasks 1, 2": the word stands before the first alone.
    const called = (id: string): string | undefined => [id, `${capital(word)} ${id}`].find((wish) => ids.has(wish));
    const one = called(rest);
    if (one !== undefined) return [one];
    const range = membersOf(rest).flatMap((alike) => alike.map(called).find((id) => id !== undefined) ?? []);
    if (range.length > 0) return range;
    if (titles.has(name.toLowerCase())) return [name];
    return name
      .split(/\s+/)
      .map(bare)
      .filter((said) => ids.has(said) || looksLikeId(said));
  });
}

/** The ids between the ends of `T001–T003`, each as it may be written; none when it is no range. */
function membersOf(text: string): string[][] {
  const [, lead = '', from = '', lead2 = '', to = ''] = (text.length < 80 && RANGE.exec(text)) || [];
  const [first, last] = [Number(from), Number(to)];
  if (from === '' || (lead2 !== '' && lead2 !== lead) || last < first || last - first > MOST) return [];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const number = String(first + index);
    return [lead + number.padStart(from.length, '0'), lead + number];
  });
}

function isNothingButNames(text: string, names: Names): boolean {
  const parts = text.split(/[,;&]|\band\b/i).map(bare);
  return parts.every((part) => part !== '' && !/\s/.test(part.replace(WORD, '')) && namesIn(part, names).length > 0);
}

function bare(text: string): string {
  return text.trim().replace(/^[*_`[(#]+|[*_`\]).:]+$/g, '');
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();
}
