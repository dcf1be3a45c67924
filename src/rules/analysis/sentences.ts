import { HEADING, ITEM } from './markdown.ts';

export interface Sentence {
  /** As `normal` returns it, without list marks. */
  readonly text: string;
  /** The heading it belongs to, and for a list item also the line that introduces the list. */
  readonly lead: string;
  readonly unticked: boolean;
}

export interface Line {
  readonly text: string;
  /** It follows a blank line or starts the text. */
  readonly startsParagraph: boolean;
}

/** The sentences of a prose text, by position. A heading, a list item and a table row end with their line. */
export function sentences(prose: string): readonly Sentence[] {
  const found: Sentence[] = [];
  let heading = '';
  let introduction = '';
  for (const { text: line } of wholeLines(prose)) {
    const isItem = ITEM.test(line);
    if (HEADING.test(line)) heading = '';
    if (!isItem) introduction = '';
    const content = line.replace(ITEM, '');
    const box = /^\[([ xX✓✔-])\] ?/.exec(content);
    const lead = `${heading} ${introduction}`.trim();
    for (const text of split(content.slice(box?.[0].length ?? 0))) {
      found.push({ text: normal(text), lead, unticked: box?.[1] === ' ' });
    }
    if (HEADING.test(line)) heading = normal(line);
    else if (!isItem && /:[*_]*$/.test(line)) introduction = found.at(-1)?.text ?? '';
  }
  return found;
}

/** A text prepared for word searches: lower case, straight apostrophes, single spaces, no emphasis. */
export function normal(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[*_#]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The sentences of a line. A full stop before a lower-case letter ends none, as in `e.g. this`. */
export function split(line: string): readonly string[] {
  return line
    .replace(/\s+/g, ' ')
    .split(SENTENCE_END)
    .filter((sentence) => sentence.trim() !== '');
}

const SENTENCE_END = /(?<=[.…][*_)\]]{0,3}) (?=[^\p{Ll}])|(?<=[!?][*_)\]]{0,3}) (?=\S)/u;

/** The non-blank lines. A line that starts in lower case is joined to the one before, which was only wrapped. */
export function wholeLines(prose: string): readonly Line[] {
  const lines: { readonly pieces: string[]; readonly startsParagraph: boolean }[] = [];
  let blank = true;
  let wraps = false;
  for (const raw of prose.split('\n')) {
    const line = raw.trim();
    if (wraps && /^[\p{Ll}\d(]/u.test(line) && !ITEM.test(line)) lines.at(-1)?.pieces.push(line);
    else if (line !== '') lines.push({ pieces: [line], startsParagraph: blank });
    blank = line === '';
    wraps = !blank && !/[.!?:…|][*_]*$/.test(line) && !HEADING.test(line);
  }
  return lines.map(({ pieces, startsParagraph }) => ({ text: pieces.join(' '), startsParagraph }));
}

/** A pattern that matches any of these phrases as whole words. */
export function anyOf(...phrases: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\w'])(?:${phrases.join('|')})(?!\w)`, 'u');
}

/** One phrase for each word of a list; a word may be a pattern, such as `seems?`. */
export function words(list: string): string {
  return list.split(' ').join('|');
}
