import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mode } from '../../contracts/index.ts';
import { parseStatusBlock } from '../analysis/index.ts';
import { aStory } from '../backlog/story.fixture.ts';
import type { PromptInput } from './parts.ts';
import { aPrompt } from './prompt.fixture.ts';
import { promptVariables, renderPrompt } from './render.ts';

type VariableName = keyof ReturnType<typeof promptVariables>;
type PromptVariables = Record<VariableName, string>;

const VARIABLES = promptVariables(aPrompt());
const VARIABLE_NAMES = Object.keys(VARIABLES) as VariableName[];

function rendered(template: string, variables: Partial<PromptVariables> = {}): string {
  const result = renderPrompt(template, { ...VARIABLES, ...variables }, 'ralph/prompt.md');
  if ('problems' in result) throw new Error(result.problems.map((p) => p.message).join());
  return result.text;
}

/** The story block is in every prompt; taking it out of the way leaves what a test looks at. */
const bare = (template: string, variables: Partial<PromptVariables> = {}) =>
  rendered(`{{STORY_BLOCK}}${template}`, { STORY_BLOCK: '', ...variables });

describe('renderPrompt', () => {
  it('puts in variables, with or without spaces, as often as they occur', () => {
    expect(bare('{{STORY_ID}} {{ STORY_ID }} {{MODE}}')).toBe('US-001 US-001 implement');
  });

  it('puts in the two older names', () => {
    expect(bare('$RALPH_ITERATION/$RALPH_MAX_ITERATIONS $RALPH_ITERATIONS $RALPH_OTHER')).toBe(
      '3/15 $RALPH_ITERATIONS $RALPH_OTHER',
    );
  });

  it('never looks again at what it put in', () => {
    expect(bare('{{STORY_TITLE}}', { STORY_TITLE: '{{MODE}} $RALPH_ITERATION $& $1 {{NOPE}}' })).toBe(
      '{{MODE}} $RALPH_ITERATION $& $1 {{NOPE}}',
    );
    expect(bare('{{{{MODE}}}}', { MODE: 'STORY_ID' })).toBe('{{STORY_ID}}');
  });

  it('names every unknown placeholder with its line and the nearest known one', () => {
    const template = 'a\n{{STORY_IDD}}\n{{STORY_BLOCK}} {{SOMETHING_ELSE}}';
    expect(renderPrompt(template, VARIABLES, 'ralph/prompt.md')).toEqual({
      problems: [
        {
          severity: 'error',
          rule: 'prompt/unknown-placeholder',
          file: 'ralph/prompt.md',
          line: 2,
          message: '{{STORY_IDD}} is not a known placeholder',
          fix: 'Did you mean {{STORY_ID}}?',
        },
        expect.objectContaining({ line: 3, fix: expect.stringContaining('Known are: STORY_ID,') }),
      ],
    });
  });

  it('leaves alone what is no placeholder', () => {
    const text = '{{ user.name }} {{ secrets.KEY }} {x} {{}} {{ A B }}';
    expect(bare(text)).toBe(text);
  });

  it('appends the story, the instructions and the signal to a template without the story', () => {
    const text = rendered('Build it.\n');
    expect(text.startsWith('Build it.\n\n### US-001: Add a greeting')).toBe(true);
    expect(text).toContain('Implement this story completely');
    expect(text).toContain('---END_RALPH_STATUS---');
    expect(rendered('{{MODE_INSTRUCTIONS}}').match(/Implement this story completely/g)).toHaveLength(1);
  });

  it('appends what the last iteration and a person have to say to a template that leaves it out', () => {
    const said = { FAILURE_CONTEXT: 'it failed', STEER: 'use tabs' };
    expect(bare('x', said)).toBe('x\n\nit failed\n\nuse tabs\n');
    expect(bare('{{STEER}} {{FAILURE_CONTEXT}}', said)).toBe('use tabs it failed');
  });

  it('replaces each placeholder by exactly its value, whatever the values hold', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('{{MODE}}', '$RALPH_ITERATION', '$&', '$`', '{{', '}}'));
    const plain = fc.string().map((text) => text.replace(/[{}$]/g, ''));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(plain, fc.constantFrom(...VARIABLE_NAMES))),
        fc.array(value, { minLength: 21, maxLength: 21 }),
        (pieces, values) => {
          const variables = Object.fromEntries(
            VARIABLE_NAMES.map((name, i) => [name, values[i] ?? '']),
          ) as PromptVariables;
          const all = '{{STORY_BLOCK}}{{STEER}}{{FAILURE_CONTEXT}}';
          const template = pieces.map(([text, name]) => `${text}{{${name}}}`).join('');
          const expected = pieces.map(([text, name]) => text + variables[name]).join('');
          const prefix = variables.STORY_BLOCK + variables.STEER + variables.FAILURE_CONTEXT;
          expect(renderPrompt(all + template, variables, 'f')).toMatchObject({ text: prefix + expected });
        },
      ),
    );
  });
});

const builtIn = readFileSync(new URL('../../../templates/prompt.md', import.meta.url), 'utf8');

function prompt(input: Partial<PromptInput> = {}): string {
  const result = renderPrompt(builtIn, promptVariables(aPrompt(input)), 'built-in');
  if ('problems' in result) throw new Error(result.problems.map((p) => p.message).join());
  return result.text;
}

describe('the built-in template', () => {
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

  it.each([{}, { mode: 'review' }, { format: 'prompt' }] as const)(
    'asks for a status block that claims nothing when it is echoed: %j',
    (input) => {
      expect(parseStatusBlock(prompt(input))).toMatchObject({ status: null, review: null, exitSignal: null });
    },
  );

  it('asks a worker to commit only where its own commits are kept', () => {
    expect(prompt({ keepsCommits: true })).toContain('commit everything');
    expect(prompt()).not.toContain('commit everything');
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
