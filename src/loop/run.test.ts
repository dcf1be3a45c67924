import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { DILIGENT, type LoopProject, makeLoopProject } from '../../test/support/loop-project.ts';
import {
  appendSteering,
  readEvents,
  readLedger,
  readRunRecord,
  readStatus,
  runState,
} from '../adapters/workspace/index.ts';
import { foldRun } from '../rules/view/index.ts';

const made: LoopProject[] = [];
function project(stories: number, run?: string): LoopProject {
  const one = makeLoopProject(stories, run);
  made.push(one);
  return one;
}
afterEach(() => {
  for (const one of made.splice(0)) one.remove();
});

const stateDir = ({ root }: LoopProject) => `${root}/.git/ralph`;
const types = ({ events }: LoopProject) => events.map(({ type }) => type);
const count = (one: LoopProject, type: string) => types(one).filter((each) => each === type).length;
async function viewOf({ root }: LoopProject, run: string) {
  const fold = foldRun(run);
  for (const [line, event] of (await readEvents(root, run)).entries()) fold.see(event, line);
  return fold.view();
}
const subjects = (one: LoopProject) => one.git('log', '--format=%s', 'main..ralph/test').split('\n');

test('an error is the one that is thrown, also when the end of the run cannot be recorded', async () => {
  const one = project(1);
  const rounds = async () => {
    writeFileSync(`${stateDir(one)}/run.json`, 'no JSON');
    throw new Error('the cause');
  };
  await expect(one.loop({ rounds })).rejects.toThrow('the cause');
});

describe('a run by turns', () => {
  test('takes one iteration a turn, is one run all along, and commits what an ordinary run commits', async () => {
    const one = project(3);
    const outcomes = [await one.loop(), await one.loop(), await one.loop()];
    expect(outcomes.map(({ kind }) => kind)).toEqual(['between', 'between', 'ended']);
    expect(outcomes[0]).toMatchObject({ outcome: { kind: 'next' }, used: { calls: [expect.any(Number)] } });
    expect(outcomes[2]).toMatchObject({ summary: { reason: 'complete', iterations: 3, exitCode: 0 } });
    expect(new Set(one.events.map(({ run }) => run)).size).toBe(1);
    expect([count(one, 'run-start'), count(one, 'turn-end'), count(one, 'estimate'), count(one, 'run-end')]).toEqual([
      1, 2, 1, 1,
    ]);
    const other = project(3);
    await other.loop({ request: { turn: false } });
    expect(subjects(one)).toEqual(subjects(other));
    expect(one.git('status', '--porcelain')).toBe('');
  });

  test('prepares and announces itself again where another process took the turn before', async () => {
    const one = project(2);
    await one.loop();
    const path = `${stateDir(one)}/run.json`;
    writeFileSync(path, readFileSync(path, 'utf8').replace(`"pid":${process.pid}`, '"pid":1'));
    expect(await one.loop()).toMatchObject({ kind: 'ended', summary: { reason: 'complete', iterations: 2 } });
    expect(one.events.filter(({ type }) => type === 'run-start')).toMatchObject([
      { resumed: false },
      { resumed: true },
    ]);
    expect(await readStatus(one.root)).toMatchObject({ state: 'ended', iteration: 2, stories: { done: 2 } });
  });

  test('is written down as between its turns, and nobody holds anything then', async () => {
    const one = project(2);
    await one.loop();
    const record = await readRunRecord(stateDir(one));
    expect(record).toMatchObject({ between: expect.any(Number), ended: null, waiting: null });
    expect(one.git('status', '--porcelain', '--ignored', '--', '.ralph-active')).toBe('');
  });

  test('continues to its end with an ordinary run, and the other way round after a crash', async () => {
    const one = project(3);
    const first = await one.loop();
    const rest = await one.loop({ request: { turn: false } });
    expect(rest).toMatchObject({ kind: 'ended', summary: { run: 'run' in first ? first.run : '', iterations: 3 } });
    expect(count(one, 'run-start')).toBe(2);
  });

  test('that a signal cut short in order is between its turns for everybody, and the next turn starts it anew', async () => {
    const one = project(2, `sleep 0.2; ${DILIGENT}`);
    const stop = new AbortController();
    const look = setInterval(() => types(one).includes('agent-start') && stop.abort('terminated'), 10);
    const slow = one.loop({ signal: stop.signal, settings: { command: { run: 'sleep 30' } } });
    expect(await slow.finally(() => clearInterval(look))).toMatchObject({ kind: 'between', outcome: { kind: 'next' } });
    const record = await readRunRecord(stateDir(one));
    expect(record).toMatchObject({ between: expect.any(Number), ended: null, cutShort: true });
    expect((await readLedger(stateDir(one))).at(-1)).toMatchObject({ kind: 'iteration', verdict: 'interrupted' });
    const view = await viewOf(one, record?.run ?? '');
    expect(await runState(one.root, view)).toBe('between');
    expect(await readStatus(one.root)).toMatchObject({ state: 'between', lastVerdict: 'interrupted' });
    expect(await one.loop()).toMatchObject({ kind: 'between' });
    expect(count(one, 'recovered')).toBe(0);
    expect((await readRunRecord(stateDir(one)))?.cutShort).toBeUndefined();
    expect(one.events.filter(({ type }) => type === 'run-start')).toMatchObject([
      { resumed: false },
      { resumed: true },
    ]);
  });

  test('ends by a word of a person that was said between two turns', async () => {
    const one = project(2);
    const first = await one.loop();
    const run = 'run' in first ? first.run : '';
    await appendSteering(stateDir(one), { kind: 'stop', run, now: false, at: Date.now() });
    expect(await one.loop()).toMatchObject({ kind: 'ended', summary: { reason: 'stopped', iterations: 1 } });
  });

  test('does not wait: it says until when, announces it once, and counts only the wait itself', async () => {
    const one = project(3);
    const settings = { calls: 1 };
    await one.loop({ settings });
    const freeAt = expect.any(Number);
    for (let again = 0; again < 3; again += 1) {
      expect(await one.loop({ settings })).toMatchObject({
        outcome: { kind: 'later', why: 'rate', until: freeAt, all: false },
        used: { calls: [] },
      });
    }
    expect(count(one, 'wait')).toBe(1);
    expect(await readRunRecord(stateDir(one))).toMatchObject({ waiting: { why: 'rate' }, between: expect.any(Number) });
  });

  test('waits for a person where it is paused, and continues when they say so', async () => {
    const one = project(3);
    const begun = Date.now();
    const first = await one.loop();
    const run = 'run' in first ? first.run : '';
    await appendSteering(stateDir(one), { kind: 'pause', run, at: Date.now() });
    for (let again = 0; again < 2; again += 1)
      expect(await one.loop()).toMatchObject({ outcome: { kind: 'later', why: 'pause', until: null, all: false } });
    await appendSteering(stateDir(one), { kind: 'resume', run, at: Date.now() });
    expect(await one.loop()).toMatchObject({ kind: 'between', outcome: { kind: 'next' } });
    expect([count(one, 'wait'), count(one, 'wait-end')]).toEqual([1, 1]);
    expect((await readRunRecord(stateDir(one)))?.waitedMs).toBeLessThanOrEqual(Date.now() - begun);
  });

  test('ends where nothing is left of a budget that it shares', async () => {
    const one = project(2);
    await one.loop({ left: { costUsd: 1, tokens: null } });
    expect(await one.loop({ left: { costUsd: 0, tokens: null } })).toMatchObject({
      kind: 'ended',
      summary: { reason: 'budget', detail: expect.stringContaining('that the streams share') },
    });
  });

  test('keeps to its limits over all turns', async () => {
    const one = project(5);
    const settings = { maxIterations: 2 };
    await one.loop({ settings });
    expect(await one.loop({ settings })).toMatchObject({ summary: { reason: 'iterations', iterations: 2 } });
  });

  test('goes back to its branch when somebody switched it between two turns', async () => {
    const one = project(2);
    await one.loop();
    one.git('switch', '-q', 'main');
    expect(await one.loop()).toMatchObject({ kind: 'ended', summary: { reason: 'complete', branch: 'ralph/test' } });
    expect(subjects(one).filter((subject) => subject.includes('US-00'))).toHaveLength(2);
  });
});

test('what a person has to know, and what is missing, is on disk before the next agent starts: a kill loses neither', async () => {
  const one = project(2, `cp .git/ralph/run.json .git/seen.json; rm -rf .env node_modules; ${DILIGENT}`);
  one.write('.gitignore', '.env\nnode_modules/\n');
  one.git('add', '-A');
  one.git('commit', '-q', '-m', 'ignore');
  one.write('.env', 'KEY=1\n');
  one.write('node_modules/x', 'x');
  await one.loop({ request: { turn: false } });
  const { remembered, gone } = JSON.parse(readFileSync(`${one.root}/.git/seen.json`, 'utf8'));
  expect(remembered.map(({ text }: { text: string }) => text).join()).toMatch(/\.env was deleted/);
  expect(gone).toEqual(['node_modules/']);
});
