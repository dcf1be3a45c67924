import { expect, test } from 'vitest';
import type { Backlog, EventBody, Story } from '../../contracts/index.ts';
import { backlogTeller } from './events.ts';

function story(id: string, passes = false): Story {
  const texts = { title: id, description: '', acceptanceCriteria: [], reviewFeedback: '', notes: '' };
  const state = { passes, reviewStatus: null, reviewCount: 0 };
  return { id, safeId: id, ...texts, ...state, priority: 1, dependsOn: [], line: 1 };
}

function backlog(stories: readonly Story[], format: Backlog['format'] = 'tasks-json'): Backlog {
  return { format, project: null, branchName: null, description: '', verifyCommands: [], stories };
}

test('all stories are told once, and then those that changed or are gone', () => {
  const told: EventBody[] = [];
  const show = backlogTeller((_iteration, body) => told.push(body));
  show(backlog([story('US-001'), story('US-002')]));
  show(backlog([story('US-001'), story('US-002')]));
  show(backlog([story('US-001', true), story('US-003')]));
  const outline = told.map((body) =>
    body.type === 'backlog'
      ? [body.whole, body.stories.map(({ id, state }) => `${id} ${state}`), body.removed]
      : body.type,
  );
  expect(outline).toEqual([
    [true, ['US-001 to do', 'US-002 to do'], []],
    [false, ['US-001 done, unreviewed', 'US-003 to do'], ['US-002']],
  ]);
});

test('the pseudo story of a lone prompt is not told', () => {
  const told: EventBody[] = [];
  backlogTeller((_iteration, body) => told.push(body))(backlog([story('prompt')], 'prompt'));
  expect(told).toEqual([]);
});
