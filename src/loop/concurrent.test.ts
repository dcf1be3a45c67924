import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DILIGENT, type LoopProject, makeLoopProject } from '../../test/support/loop-project.ts';
import { until } from '../../test/support/until.ts';
import { readLedger } from '../adapters/workspace/index.ts';
import type { LedgerIteration } from '../contracts/index.ts';

const made: LoopProject[] = [];
afterEach(() => {
  for (const one of made.splice(0)) one.remove();
});

/** A repository with a work tree for each of some branches; all of them have the backlog, and a branch of their own in it. */
function projectWith(
  streams: readonly string[],
  stories: number,
): LoopProject & { readonly at: (stream: string) => string } {
  const one = makeLoopProject(stories);
  made.push(one);
  const at = (stream: string) => join(one.root, '..', stream);
  for (const stream of streams) one.git('worktree', 'add', '-q', '-b', `ralph/${stream}`, at(stream), 'main');
  return { ...one, at };
}

const branch = { branch: false };
const agent = (run: string) => ({ ...branch, command: { run } });

test('eight streams in one process take their turns at the same time, each with its own run, events and commits', async () => {
  const streams = Array.from({ length: 8 }, (_, at) => `s${at}`);
  const one = projectWith(streams, 2);
  const listeners = process.listenerCount('exit') + process.listenerCount('SIGTERM');
  const outcomes = await Promise.all(
    streams.map(async (stream) => {
      const first = await one.loop({ at: one.at(stream), settings: branch });
      return [first, await one.loop({ at: one.at(stream), settings: branch })];
    }),
  );
  for (const [first, last] of outcomes) {
    expect(first).toMatchObject({ kind: 'between', outcome: { kind: 'next' } });
    expect(last).toMatchObject({ kind: 'ended', summary: { reason: 'complete', iterations: 2 } });
  }
  const runs = new Set(one.events.map(({ run }) => run));
  expect(runs.size).toBe(8);
  for (const [at, stream] of streams.entries()) {
    expect(one.git('rev-list', '--count', '--grep=^Ralph-Story:', `main..ralph/${stream}`)).toBe('2');
    const lines = await readLedger(`${one.root}/.git/worktrees/${stream}/ralph`);
    expect(lines.map((line) => (line as LedgerIteration).verdict)).toEqual(['accepted', 'accepted']);
    const run = outcomes[at]?.[0];
    const log = readFileSync(
      join(one.at(stream), '.ralph/runs', run && 'run' in run ? run.run : '', 'events.jsonl'),
      'utf8',
    );
    expect(log.split('\n').filter((text) => text.includes('"verdict"') && text.includes('"accepted"'))).not.toEqual([]);
  }
  expect(one.events.filter(({ type }) => type === 'notice' && 'level' in one)).toEqual([]);
  expect(process.listenerCount('exit') + process.listenerCount('SIGTERM')).toBe(listeners);
});

test('what streams commit meanwhile is no change of the agent; a branch that it moved itself is', async () => {
  const one = projectWith(['slow', 'quick'], 1);
  one.git('branch', 'idle');
  const moves = 'git update-ref refs/heads/idle "$(git commit-tree -p HEAD -m moved "HEAD^{tree}")"';
  const waits = 'until [ -e ../go ]; do sleep 0.02; done';
  const slow = one.loop({ at: one.at('slow'), settings: agent(`touch ../started; ${waits}; ${moves}; ${DILIGENT}`) });
  await until(async () => existsSync(join(one.root, '../started')));
  await one.loop({ at: one.at('quick'), settings: branch });
  one.git('commit', '-q', '--allow-empty', '-m', 'a person works in the checkout');
  one.write('../go', '');
  expect(await slow).toMatchObject({ kind: 'ended', summary: { reason: 'complete' } });
  const texts = one.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(texts.filter((text) => text.includes('refs changed'))).toEqual([
    'While the agent worked, refs changed: refs/heads/idle.',
  ]);
  expect(one.git('for-each-ref', '--format=%(refname)', 'refs/ralph/moved')).toMatch(/^\S*refs\/heads\/idle$/);
});

test('what an agent planted in the shared settings is gone, whichever of two that overlap ends last', async () => {
  const one = projectWith(['bad', 'late'], 1);
  const wait = (name: string) => `until [ -e ../${name} ]; do sleep 0.02; done`;
  const plant = 'git config core.fsmonitor evil; echo "*.txt" >> "$(git rev-parse --git-path info/exclude)"';
  const bad = one.loop({
    at: one.at('bad'),
    settings: agent(`${plant}; touch ../planted; ${wait('end-bad')}; ${DILIGENT}`),
  });
  await until(async () => existsSync(join(one.root, '../planted')));
  const late = one.loop({ at: one.at('late'), settings: agent(`touch ../late; ${wait('end-late')}; ${DILIGENT}`) });
  await until(async () => existsSync(join(one.root, '../late')));
  one.write('../end-bad', '');
  await bad;
  one.write('../end-late', '');
  await late;
  expect(readFileSync(join(one.root, '.git/config'), 'utf8')).not.toContain('evil');
  expect(readFileSync(join(one.root, '.git/info/exclude'), 'utf8')).not.toContain('*.txt');
  const blamed = one.events.flatMap((event) => (event.type === 'violation' ? [event.violation.field] : []));
  expect(blamed.sort()).toEqual(['.git/config', '.git/info/exclude']);
});

test('what ralph itself excludes for another stream stays, and nobody is blamed for it', async () => {
  const one = projectWith(['slow', 'other'], 1);
  const waits = 'until [ -e ../go ]; do sleep 0.02; done';
  const slow = one.loop({ at: one.at('slow'), settings: agent(`touch ../started; ${waits}; ${DILIGENT}`) });
  await until(async () => existsSync(join(one.root, '../started')));
  await one.loop({ at: one.at('other'), settings: branch, planted: ['/.bashrc'] });
  one.write('../go', '');
  await slow;
  expect(readFileSync(join(one.root, '.git/info/exclude'), 'utf8')).toContain('\n/.bashrc\n');
  expect(one.events.filter(({ type }) => type === 'violation')).toEqual([]);
});
