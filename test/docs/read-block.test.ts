import { expect, test } from 'vitest';
import { READERS } from './read-block.ts';

const read = (language: string, text: string) => READERS[language]?.(text);

test.each([
  ['json', '{ "maxIterations": 40 }'],
  ['json', '{ "proof": { "kept": true }, "reviews": 1, "by": "review" }'],
  ['json', '{"ts":"2026-11-21T23:30:16.204Z","run":"r","type":"select"}\n{"a":1}\n'],
  ['jsonc', '{ "maxIterations": 40, // a longer night\n}'],
  ['yaml', 'scrape_configs: []'],
  ['yaml', 'version: 1\nsteps:\n  - do: [{ say: hello }]\n'],
  ['ts', 'const a: number = 1;'],
  ['markdown', '- [ ] US-001: Log in\n  - it works\n'],
])('%s %j is fine', (language, text) => {
  expect(() => read(language, text)).not.toThrow();
});

test.each([
  ['json', '{ "maxIterations": 40, "timout": "1m" }', 'configuration: '],
  ['json', '{ "maxIterations": "many" }', 'configuration: maxIterations'],
  ['json', '{"a": 1,}', 'JSON'],
  ['json', '{"ts":"2026-11-21T23:30:16.204Z","run":"r","type":"selcet"}', "no event of type 'selcet'"],
  ['json', '{ "project": "a", "branchName": "b", "userStories": [{ "id": "A" }] }', 'of the block'],
  ['jsonc', '{ "maxIterations": }', 'in line 1 of the block'],
  ['yaml', 'version: 1\nsteps:\n  - do: [{ sya: hello }]\n', 'line 3 of the block'],
  ['js', 'const = 1;', 'Parse'],
])('%s %j is not', (language, text, message) => {
  expect(() => read(language, text)).toThrow(message);
});
