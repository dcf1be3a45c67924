import type { BacklogFormat } from '../../contracts/model.ts';

/** What a file is read as. `jsonl` is a JSON value on each line, as trackers export them. */
export type Guess = Extract<BacklogFormat, 'tasks-json' | 'prd-json' | 'markdown'> | 'jsonl';

const JSON_START = /^\s*(?:\{|\[\s*(?:[{"\]]|$))/;

/** The form of a backlog: by the name of its file where that is plain, else by how the text begins. */
export function guessForm(path: string, text: string): Guess {
  const name = (path.split(/[\\/]/).at(-1) ?? '').toLowerCase();
  if (name === 'tasks.json') return 'tasks-json';
  if (/\.(?:json|jsonc|json5)$/.test(name)) return 'prd-json';
  if (/\.(?:jsonl|ndjson)$/.test(name)) return 'jsonl';
  if (/\.(?:md|markdown|mdx|mdown)$/.test(name)) return 'markdown';
  return JSON_START.test(text.replace(/^\uFEFF/, '')) ? 'prd-json' : 'markdown';
}

/** Lines of JSON as one list. Every value stays on its line, so that messages name the right one. */
export function joinLines(text: string): string {
  const lines = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\n');
  const last = lines.length - 1;
  return `[${lines.map((line, at) => (line.trim() === '' || at === last ? line : `${line.trimEnd()},`)).join('\n')}]`;
}
