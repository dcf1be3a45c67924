import { expect, test } from 'vitest';
import { eventAt, smallRun } from './events.fixture.ts';
import { plain } from './paint.ts';
import { renderRunHistory, runHistory } from './run-history.ts';

const options = { paint: plain, columns: 120, state: 'cut-off' } as const;

test('a run is told in one line per iteration', () => {
  expect(renderRunHistory(runHistory('20260101-100000-abcd', smallRun), options).join('\n')).toMatchInlineSnapshot(`
    "run 20260101-100000-abcd · agent claude · branch ralph/login

    #  at        mode       story   verdict   time   cost  commit   why
    1  10:00:02  implement  US-001  rejected   49s  $0.12  -        npm test was green and is red
    2  10:00:52  implement  US-001  accepted  4.0s  $0.08  3f2a9c1  ready, checks green

    OUT OF ITERATIONS: stories are left (exit 1)
    \`ralph log N\` shows one iteration, \`--full\` everything that its agent did"
  `);
});

test('an iteration without a verdict was cut off, and so was its run', () => {
  const lines = renderRunHistory(runHistory('r', smallRun.slice(0, 8)), options);
  expect(lines.join('\n')).toMatch(/1 {2}10:00:02 {2}implement {2}US-001 {2}cut off/);
  expect(lines.join('\n')).toContain('cut off; `ralph run` continues it');
});

test('of a run that lives the last iteration is under way, and so is the run', () => {
  const lines = renderRunHistory(runHistory('r', smallRun.slice(0, 20)), { ...options, state: 'running' });
  expect(lines.join('\n')).toMatch(/2 {2}\S+ {2}implement {2}US-001 {2}under way/);
  expect(lines.join('\n')).not.toContain('cut off');
  expect(lines).toContain('under way (ralph status)');
});

test('a run that was asked for one story does not claim that all are done', () => {
  const end = smallRun.at(-1);
  if (end?.type !== 'run-end') throw new Error('the run does not end');
  const text = renderRunHistory(runHistory('r', [{ ...end, reason: 'complete', exitCode: 0 }]), options).join('\n');
  expect(text).toContain('COMPLETE: what was asked for is done (exit 0)');
  const stories = { total: 4, done: 4, blocked: 0 };
  const all = renderRunHistory(runHistory('r', [{ ...end, reason: 'complete', exitCode: 0, stories }]), options);
  expect(all.join('\n')).toContain('COMPLETE: every story is done');
});

test('a reason of a later version is told as it stands', () => {
  const end = { ...smallRun.at(-1), reason: 'constructor' } as (typeof smallRun)[number];
  expect(renderRunHistory(runHistory('r', [end]), options).join('\n')).toContain('ENDED: constructor (exit 1)');
});

test('a run that was started again has not ended', () => {
  const [start] = smallRun;
  if (!start) throw new Error('the fixture has events');
  expect(runHistory('r', [...smallRun, start]).ended).toBeNull();
  expect(runHistory('r', smallRun).ended).toMatchObject({ reason: 'iterations', exitCode: 1 });
});

test('on a narrow terminal time, cost and commit give way to the reason', () => {
  const lines = renderRunHistory(runHistory('r', smallRun), { ...options, columns: 80 });
  expect(lines[2]).toBe('#  at        mode       story   verdict   why');
  expect(lines[3]).toBe('1  10:00:02  implement  US-001  rejected  npm test was green and is red');
});

test('a run without iterations says so', () => {
  expect(renderRunHistory(runHistory('r', []), options)).toContain('no iterations');
});

test('what was waited for is summed up by reason', () => {
  const waits = [
    eventAt(51, 0, { type: 'wait-end', why: 'limit', waitedMs: 61_000 }),
    eventAt(51, 0, { type: 'wait-end', why: 'pause', waitedMs: 2_000 }),
    eventAt(51, 0, { type: 'wait-end', why: 'limit', waitedMs: 59_000 }),
  ];
  const history = runHistory('r', [...smallRun, ...waits]);
  expect(renderRunHistory(history, options)).toContain('waited 2m 00s (usage limit), 2.0s (paused)');
});

test('where several agents took turns each line says who it was', () => {
  const events = smallRun.map((event) =>
    event.type === 'agent-start' && event.iteration === 2 ? { ...event, agent: 'codex' } : event,
  );
  const text = renderRunHistory(runHistory('r', events), options).join('\n');
  expect(text).toMatch(/^1 {2}\S+ {2}implement {2}US-001 {2}claude {2}rejected/m);
  expect(text).toMatch(/^2 {2}\S+ {2}implement {2}US-001 {2}codex {3}accepted/m);
});
