import { HEADING, ITEM } from './blocks.ts';

export interface Sentence {
  /** As `normal` leaves it, without the marks of lists. */
  readonly text: string;
  /** What it stands under: the heading, and for an item of a list the line that leads it in. */
  readonly lead: string;
  /** An item of a checklist that is not ticked. */
  readonly unticked: boolean;
}

export interface Line {
  readonly text: string;
  /** A blank line, or nothing, is before it. */
  readonly startsParagraph: boolean;
}

/** The sentences of a prose, in order. A heading, an item and a row of a table end where their line does. */
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

/** A text as words are looked for in it: small letters, straight apostrophes, single spaces, no emphasis. */
export function normal(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[*_#]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The sentences of a line. A full stop ends none before a small letter, as in `e.g. this`. */
export function split(line: string): readonly string[] {
  return line
    .replace(/\s+/g, ' ')
    .split(SENTENCE_END)
    .filter((sentence) => sentence.trim() !== '');
}

const SENTENCE_END = /(?<=[.…][*_)\]]{0,3}) (?=[^\p{Ll}])|(?<=[!?][*_)\]]{0,3}) (?=\S)/u;

/** The lines that are not blank, with those joined that were only wrapped: the next one starts in small letters. */
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
