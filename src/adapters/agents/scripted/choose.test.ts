import { describe, expect, it } from 'vitest';
import { parseScenario } from './parse-scenario.ts';
import { chooseActions } from './scenario.ts';

type Facts = Parameters<typeof chooseActions>[1];

const facts: Facts = {
  run: 'r',
  storyId: 'US-001',
  mode: 'implement',
  attempt: 1,
  reviewCount: 0,
  try: 1,
  iteration: 1,
};

function said(source: string, given: Partial<Facts> = {}): unknown {
  const parsed = parseScenario('s.yaml', source);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return chooseActions(parsed.scenario, { ...facts, ...given }).actions[0]?.input;
}

const STEPS = `
version: 1
steps:
  - { when: { story: US-001, mode: implement, attempt: 2 }, do: [say: second] }
  - { when: { story: [US-001, US-002], mode: [implement, review-fix] }, do: [say: work] }
  - { when: { mode: review, reviewCount: 0, try: 1, iteration: [3, 4] }, do: [say: first review] }
`;

describe('chooseActions', () => {
  it('takes the first step that matches in every respect', () => {
    expect(said(STEPS)).toBe('work');
    expect(said(STEPS, { attempt: 2 })).toBe('second');
    expect(said(STEPS, { storyId: 'US-002', mode: 'review-fix', attempt: 2 })).toBe('work');
    expect(said(STEPS, { mode: 'review', iteration: 4 })).toBe('first review');
  });

  it('fails, naming what was asked for, when nothing matches', () => {
    expect(said(STEPS, { mode: 'review', iteration: 5 })).toEqual({
      kind: 'crash',
      message:
        'the scenario has no step for story US-001, mode review, attempt 1, reviewCount 0, try 1, iteration 5, and no default',
    });
  });

  it('falls back to the default', () => {
    expect(said(`${STEPS}default: [say: something else]`, { storyId: 'US-9' })).toBe('something else');
  });

  it('fills placeholders in literally, once, and leaves others alone', () => {
    const source =
      "version: 1\nsteps: [{ do: [write: { path: 'src/{{STORY_ID}}.txt', content: '{{MODE}} {{ATTEMPT}} {{REVIEW_COUNT}} {{TRY}} {{ITERATION}} {{RUN}} {{OTHER}} {MODE}' }] }]";
    expect(said(source, { storyId: '{{MODE}}$&' })).toEqual({
      path: 'src/{{MODE}}$&.txt',
      content: 'implement 1 0 1 1 r {{OTHER}} {MODE}',
    });
  });
});
