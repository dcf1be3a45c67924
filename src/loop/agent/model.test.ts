import { expect, test } from 'vitest';
import { testAgents, testConfig } from '../../../test/support/agent-task.ts';
import { aStory } from '../../rules/backlog/story.fixture.ts';
import { modelFor } from './model.ts';

const models = {
  review: 'opus',
  byEstimate: { L: 'opus', '1': 'haiku' },
  escalate: ['opus', 'opus-max'],
};
const config = testConfig({ agent: ['claude', 'codex'], model: 'sonnet', models });
const first = { config, agent: 'claude', mode: 'implement', story: aStory('US-001'), attempt: 1 } as const;

test.each([
  ["the run's own", {}, 'sonnet'],
  ["the mode's", { mode: 'review' as const }, 'opus'],
  ["that of the story's estimate", { story: aStory('US-001', { estimate: 'L' }) }, 'opus'],
  ['that of a numeric estimate', { story: aStory('US-001', { estimate: 1 }) }, 'haiku'],
  [
    "the story's own before that of its estimate",
    { story: aStory('US-001', { estimate: 'L', model: 'mine' }) },
    'mine',
  ],
  ['the first escalation after a failed attempt', { attempt: 2 }, 'opus'],
  ['the last escalation from then on', { attempt: 5 }, 'opus-max'],
  ['the escalation even before that of the story', { attempt: 2, story: aStory('US-001', { model: 'mine' }) }, 'opus'],
  ['none for an agent that stands in, whose models have other names', { agent: 'codex' }, null],
])('the model is %s', (_name, change, model) => {
  expect(modelFor({ ...first, ...change })).toBe(model);
});

test('an agent that stands in has a model of its own, if it is given one; the first uses its own last', () => {
  const agents = testAgents({ codex: { model: 'gpt-5' }, claude: { model: 'haiku' } });
  const given = { ...config, agents };
  expect(modelFor({ ...first, config: given, agent: 'codex' })).toBe('gpt-5');
  expect(modelFor({ ...first, config: given })).toBe('sonnet');
  expect(modelFor({ ...first, config: { ...given, model: null } })).toBe('haiku');
});

test('the first agent that only reviews has the model of reviews; each other has its own, or that of the run', () => {
  const agents = testAgents({ codex: { model: 'gpt-5' } });
  const review = { agents: ['codex', 'claude'], panel: 1 };
  const given = { ...config, agents, review, models: { ...models, review: 'gpt-5-pro' } };
  const asked = { ...first, config: given, mode: 'review' as const };
  expect(modelFor({ ...asked, agent: 'codex' })).toBe('gpt-5-pro');
  expect(modelFor({ ...asked, agent: 'claude' })).toBe('sonnet');
  expect(modelFor({ ...asked, agent: 'codex', config: { ...given, models } })).toBe('opus');
  expect(modelFor({ ...asked, mode: 'implement', agent: 'codex' })).toBe('gpt-5');
});
