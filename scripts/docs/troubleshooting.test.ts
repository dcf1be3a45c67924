import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/troubleshooting.md', root), 'utf8');

test('every message that the page on troubles quotes is one that the program prints', () => {
  const sources = programText();
  const messages = quotedMessages(page);
  expect(messages.length).toBeGreaterThan(25);
  expect(messages.filter((message) => !sources.some((source) => says(source, message)))).toEqual([]);
});

/** First cells that are nothing but a quotation; a symptom in words is not a message. */
function quotedMessages(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '');
}

/** All parts between the gaps (`…`) in one source file. Code writes quotes of its own with a backslash. */
function says(source: string, message: string): boolean {
  const parts = message.split('…').map((part) => part.trim());
  return parts.every((part) => source.includes(part));
}

function programText(): readonly string[] {
  const paths = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => /\.tsx?$/.test(path) && !/\.(?:test|fixture)\.tsx?$/.test(path))
    .map((path) => readFileSync(new URL(`src/${path}`, root), 'utf8'))
    .map((text) => text.replaceAll("\\'", "'").replaceAll('\\`', '`'));
}
