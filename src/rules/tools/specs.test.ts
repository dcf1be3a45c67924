import { expect, test } from 'vitest';
import { asOffered, problemOfCall } from './specs.ts';

test.each([
  ['complete_story', { status: 'success', summary: 'done' }],
  ['get_story', {}],
  ['add_story', { title: 't', acceptance_criteria: ['a'], priority: 2 }],
])('%s %j can be meant', (name, args) => {
  expect(problemOfCall(name, args)).toBe(null);
});

test('a choice is understood however it is written, and other texts stay', () => {
  const args = { status: 'Success', tests: 'PASSING', summary: 'All PASSING' };
  const meant = { status: 'success', tests: 'passing', summary: 'All PASSING' };
  expect(asOffered('complete_story', args)).toEqual(meant);
  expect(problemOfCall('complete_story', meant)).toBe(null);
  expect(asOffered('no_such_tool', args)).toEqual(args);
});

test.each([
  ['rm_everything', {}, 'there is no such tool'],
  ['complete_story', null, 'its arguments are not an object'],
  ['complete_story', ['success'], 'its arguments are not an object'],
  ['complete_story', { status: 'success' }, 'summary is missing'],
  ['complete_story', { status: 'SUCCESS', summary: 'x' }, 'status does not fit'],
  ['complete_story', { status: 'success', summary: 5 }, 'summary does not fit'],
  ['add_story', { title: 't', acceptance_criteria: 'a' }, 'acceptance_criteria does not fit'],
  ['log_progress', { text: 'x', toString: 'x' }, 'toString does not fit'],
])('%s %j is not taken: %s', (name, args, problem) => {
  expect(problemOfCall(name, args)).toBe(problem);
});
