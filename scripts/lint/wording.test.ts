import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../root.ts';

/** What to write, instead of which words. */
const INSTEAD: Readonly<Record<string, RegExp>> = {
  'say who it is, or use the passive': /\b(?:nobody|somebody|anybody|whoever|whomever)\b/i,
  'say what it is, or leave it out': /\b(?:whatever|whichever)\b/i,
  'fix, repair': /\bmend(?:s|ed|ing)?\b/i,
  'your, their, our': /\bof (?:yours|theirs|ours|mine)\b(?!\))/i,
  'unchanged, at the default': /\bas (?:it|they) came\b/i,
  'archive, stash, move': /\bputs? (?:\w+ ){0,4}aside\b/i,
  'cancel, undo, roll back': /\b(?:takes?|took|taken|taking) (?:\w+ ){0,2}back\b/i,
  'say who says it': /\b(?:is|are|be|been|was|were) said\b/i,
  'is not a': /\b(?:that|this|it|which|what) (?:is|was) no (?!longer\b|more\b|such\b|different\b|doubt\b)\w/i,
  again: /\banew\b/i,
  continue: /\bgo(?:es|ing)? on\b(?! top)/i,
  'the current story': /\bunder work\b/i,
  'say it plainly: should, must, the maximum is':
    /\b(?:had better|is said to|are the most|comes? to (?:stand|depend))\b/i,
};

/** Patterns that read texts of agents and reviewers. */
const INPUT = [
  'src/commands/selftest/rows/claims.ts',
  'src/rules/analysis/standing-rules.ts',
  'src/rules/analysis/weigh.ts',
  'src/rules/backlog/reviews/findings.ts',
];

test('texts and comments have none of the words that make English read as translated', async () => {
  const faults: string[] = [];
  for (const folder of ['src', 'dashboard', 'docs', 'templates', 'plugin', 'bin', 'examples', 'schemas', '.']) {
    for (const file of await readdir(join(root, folder), { recursive: folder !== '.' })) {
      const path = folder === '.' ? file : `${folder}/${file}`;
      if (
        !/(?:\.(?:tsx?|md|css|ya?ml|pl|js|json)|Containerfile)$/.test(path) ||
        /\.(?:test|fixture)\.tsx?$|CHANGELOG/.test(path)
      )
        continue;
      if (INPUT.includes(path)) continue;
      const lines = (await readFile(join(root, path), 'utf8')).split('\n');
      for (const [instead, words] of Object.entries(INSTEAD)) {
        for (const [i, line] of lines.entries()) {
          const found = words.exec(line);
          if (found !== null) faults.push(`${path}:${i + 1}: "${found[0]}": ${instead}`);
        }
      }
    }
  }
  expect(faults.join('\n')).toBe('');
});
