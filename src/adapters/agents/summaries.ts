import { asArray, asObject, asText, type Wire } from './json-lines.ts';

const MAX_LENGTH = 160;

/** The input field that tells a person most, by how tools name theirs. */
const TELLING_FIELDS = [
  'command',
  'file_path',
  'path',
  'notebook_path',
  'pattern',
  'url',
  'query',
  'description',
  'skill',
  'prompt',
];

/** One line about a tool call: a file, a command; the whole input as JSON for tools nobody knows. */
export function callSummary(input: Wire): string {
  for (const field of TELLING_FIELDS) {
    const value = asText(input[field]);
    if (value) return oneLine(value);
  }
  return oneLine(JSON.stringify(input));
}

/** One line about a tool's result: text, or the first text among its blocks. */
export function resultSummary(content: unknown): string {
  const text = asText(content);
  if (text !== null) return oneLine(text);
  const blocks = asArray(content).map((block) => asText(asObject(block)?.['text']));
  return oneLine(blocks.find((block) => block !== null) ?? '');
}

function oneLine(text: string): string {
  const line = text
    .slice(0, MAX_LENGTH * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
