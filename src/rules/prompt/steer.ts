import type { PromptInput } from './input.ts';

type Answered = PromptInput['answers'][number];

/** What the person who runs the loop has to say, word for word, as one list; empty when that is nothing. */
export function steerText(notes: readonly string[], answers: readonly Answered[]): string {
  if (notes.length === 0 && answers.length === 0) return '';
  const items = [...notes, ...answers.map(answerText)];
  return ['### From the person who runs this loop', '', ...items.map(item)].join('\n');
}

/** The question is an agent's own text: on one line, so that no part of it passes for the answer. */
function answerText({ id, text, answer }: Answered): string {
  return `Answer to ${id}, which an earlier iteration asked about this story ("${oneLine(text)}"):\n\n${answer.text}`;
}

/** A list item of any number of lines: they are indented, so that none of them ends it or starts a heading. */
function item(text: string): string {
  return `- ${text.trim().replace(/\n(?!\n)/g, '\n  ')}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
