import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Mode } from '../../contracts/model.ts';
import { parseStatusBlock } from '../analysis/status-block.ts';
import { aStory } from '../backlog/story.fixture.ts';
import type { PromptInput } from './input.ts';
import { aPrompt } from './prompt.fixture.ts';
import { renderPrompt } from './render.ts';
import { PROMPT_TEMPLATE } from './template.ts';
import { promptVariables } from './variables.ts';

function prompt(input: Partial<PromptInput> = {}): string {
  const result = renderPrompt(PROMPT_TEMPLATE, promptVariables(aPrompt(input)), 'built-in');
  if ('problems' in result) throw new Error(result.problems.map((p) => p.message).join());
  return result.text;
}

describe('the built-in template', () => {
  it('is the one in templates/', () => {
    expect(readFileSync(new URL('../../../templates/prompt.md', import.meta.url), 'utf8')).toBe(PROMPT_TEMPLATE);
  });

  it.each(['implement', 'review', 'review-fix'] as const)(
    'leaves no placeholder and needs nothing appended in %s',
    (mode: Mode) => {
      const text = prompt({
        mode,
        steer: ['use tabs'],
        failure: { reason: 'red', checks: [], rescue: null, diffStat: null },
      });
      expect(text).not.toMatch(/\{\{|\}\}|undefined|null,/);
      expect(text.match(/### US-001/g)).toHaveLength(1);
      expect(text).toContain('use tabs');
    },
  );

  it('asks for a status block that claims nothing when it is echoed', () => {
    expect(parseStatusBlock(prompt())).toMatchObject({ status: null, review: null, exitSignal: null });
    expect(parseStatusBlock(prompt({ mode: 'review' }))).toMatchObject({
      status: null,
      review: null,
      exitSignal: null,
    });
  });

  it('tells a native reviewer the exact count to write, and others to use the block', () => {
    const story = aStory('US-001', { reviewStatus: 'needs_review', reviewCount: 2 });
    expect(prompt({ mode: 'review', story, reviewRange: 'abc..def' })).toContain('set `reviewCount` to 3');
    expect(prompt({ mode: 'review', story, reviewRange: 'abc..def' })).toContain('git diff abc..def');
    const markdown = prompt({ mode: 'review', story, format: 'markdown' });
    expect(markdown).not.toContain('reviewCount');
    expect(markdown).toContain('in the status block only');
  });

  it('never tells a worker to mark its story done', () => {
    for (const mode of ['implement', 'review-fix'] as const) {
      expect(prompt({ mode })).toContain('to "needs_review"');
      expect(prompt({ mode })).not.toContain('"approved"');
    }
    expect(prompt({ skipReview: true })).not.toContain('needs_review');
  });
});
