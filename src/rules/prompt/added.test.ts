import { readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { addedTokens } from '../text/index.ts';
import { toolsOf } from '../tools/index.ts';
import { addedBy } from './added.ts';
import { aPrompt } from './prompt.fixture.ts';
import { promptVariables, renderPrompt } from './render.ts';

const builtIn = readFileSync(new URL('../../../templates/prompt.md', import.meta.url), 'utf8');

function added(input: Parameters<typeof aPrompt>[0] = {}) {
  const prompt = renderPrompt(builtIn, promptVariables(aPrompt(input)), 'prompt.md');
  if ('problems' in prompt) throw new Error('the built-in template cannot be used');
  return addedBy(prompt, toolsOf(input.mode ?? 'implement'), 0);
}

/** Every request of an agent carries this. To raise a ceiling is a decision: say in the commit what it buys. */
it.each([
  ['implement', 2_000],
  ['review', 1_800],
  ['review-fix', 1_600],
] as const)('in %s the prompt and the tools take at most %i tokens without the story', (mode, ceiling) => {
  const tokens = addedTokens(added({ mode, reviewRange: 'a1b2c3d..e4f5a6b' }));
  expect(tokens).toBeLessThanOrEqual(ceiling);
  expect(tokens).toBeGreaterThan(ceiling * 0.9);
});

test('whatever is about the story alone is counted as the story', () => {
  const failure = { reason: 'red', checks: [], rescue: null, diffStat: 'x'.repeat(4_000) };
  const [plain, more] = [added(), added({ failure, steer: ['y'.repeat(4_000)] })];
  expect(more.story - plain.story).toBeGreaterThan(1_000);
  // Two empty lines.
  expect(more.prompt - plain.prompt).toBeLessThan(4);
});

test('an agent without tools is given no definitions, and what hooks say is counted', () => {
  expect(addedBy({ text: 'x'.repeat(12), aboutStory: 4 }, [], 9)).toEqual({ story: 1, prompt: 2, tools: 0, hooks: 3 });
});
