import type { Manual, Section, Term } from '../../src/commands/help.ts';

/** `ralph stories list` → `ralph-stories-list`: what `man` is asked for, and the name of the file. */
export function pageName({ name }: Pick<Manual, 'name'>): string {
  return name.replaceAll(' ', '-');
}

/**
 * A page of the manual as man(7) wants it. Pure.
 * @param version of ralph, in the footer
 */
export function manualRoff(manual: Manual, version: string): string {
  const name = pageName(manual);
  return [
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`ralph ${version}`)} "Ralph Manual"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(manual.summary)}`,
    '.SH SYNOPSIS',
    ...manual.synopsis.flatMap((line, at) => [...(at === 0 ? [] : ['.br']), `.B ${roff(line)}`]),
    ...manual.sections.flatMap(sectionLines),
    '',
  ].join('\n');
}

function sectionLines({ heading, paragraphs = [], terms = [], stacked }: Section): readonly string[] {
  return [
    `.SH ${quoted(heading.toUpperCase())}`,
    ...paragraphs.flatMap((text, at) => [...(at === 0 ? [] : ['.PP']), line(text)]),
    ...terms.flatMap((term) => (stacked ? exampleLines(term) : termLines(term))),
  ];
}

function termLines([term, meaning]: Term): readonly string[] {
  return ['.TP', `.B ${roff(term)}`, line(meaning)];
}

function exampleLines([command, effect]: Term): readonly string[] {
  return ['.PP', '.nf', `.B ${roff(command)}`, '.fi', '.RS 4', line(effect), '.RE'];
}

/** A line of text: what begins like a request is none. */
function line(text: string): string {
  const escaped = roff(text);
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

/** Characters that roff reads as its own, by their names there; a dash is one that can be copied and searched for. */
const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '"': '\\(dq',
};

function roff(text: string): string {
  return text
    .replace(/[\\\-'`"]/g, (character) => SPECIAL[character] ?? character)
    .replace(/[\u0080-\u{10ffff}]/gu, (character) => `\\[u${hexOf(character)}]`);
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

function quoted(text: string): string {
  return `"${roff(text)}"`;
}
