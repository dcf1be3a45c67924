import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { list } from '../../platform/index.ts';
import { loadSource } from '../../rules/backlog/index.ts';
import { findWorkspace } from './layout.ts';
import {
  appendSpooledCall,
  hooksWereCalled,
  openSpool,
  readSpool,
  readSpoolSession,
  removeSpool,
  type SpoolSession,
} from './spool.ts';
import { messageOf, tempTree } from './temp-tree.fixture.ts';

const STORY = { id: 'US-1', title: 'Add', description: 'd', acceptanceCriteria: ['works'], priority: 1, passes: false };
const BACKLOG = JSON.stringify({ userStories: [{ ...STORY, reviewStatus: null, reviewCount: 0 }] }, null, 2);
const NOTE = { at: '2026-01-01T00:00:00.000Z', name: 'log_progress', args: { text: 'learned' } };

async function project() {
  const root = await tempTree({
    'ralph/tasks.json': BACKLOG,
    'ralph/prd.md': '# p\n',
    'built/plugin/hook.cjs': '// hook',
    'built/plugin/hook/part.cjs': '// part',
    'built/dist/main.js': '// main',
    'elsewhere/keep.txt': 'mine',
  });
  const workspace = await findWorkspace({ root, cwd: root, flags: {}, env: {} });
  const source = { file: 'ralph/tasks.json', reviewsFile: 'ralph/reviews.json', reviewsText: null } as const;
  const snapshot = loadSource({ ...source, format: 'tasks-json', text: BACKLOG }).document;
  if (snapshot === null) throw new Error('the backlog of this test cannot be read');
  const judged = { question: 'Q1', mode: 'implement', story: 'US-1', skipReview: false, reviewCap: 5 } as const;
  const session: SpoolSession = { ...judged, toAnswer: [], failure: '', snapshot, workspace };
  const open = () => openSpool(root, 3, session, `${root}/built`);
  return { root, session, open, calls: `${root}/.ralph/state/inside/3/calls.jsonl` };
}

test('a spool holds the programs that answer inside, and what they answer from', async () => {
  const { root, open, session } = await project();
  const { dir } = await open();
  expect(dir).toBe(`${root}/.ralph/state/inside/3`);
  expect(await list(dir)).toEqual(['hook', 'hook.cjs', 'program', 'session.json']);
  expect(await list(`${dir}/program`)).toEqual(['main.js', 'package.json']);
  expect(readSpoolSession(dir)).toEqual(session);
  expect(hooksWereCalled(dir)).toBe(false);
  writeFileSync(`${dir}/hooked`, '');
  expect(hooksWereCalled(dir)).toBe(true);
});

test('calls come back in their order, and a spool that is opened again has none', async () => {
  const { open } = await project();
  const { dir } = await open();
  const done = { ...NOTE, name: 'complete_story', args: { status: 'success', summary: 'It works.' } };
  appendSpooledCall(dir, NOTE);
  appendSpooledCall(dir, done);
  expect(readSpool(dir)).toEqual([NOTE, done]);
  expect(readSpool((await open()).dir)).toEqual([]);
});

test('a spool that is removed is gone, and removing it again is fine', async () => {
  const { root, open } = await project();
  const { dir } = await open();
  await removeSpool(dir);
  await removeSpool(dir);
  expect(await list(`${root}/.ralph/state/inside`)).toEqual([]);
  expect(readSpool(dir)).toEqual([]);
});

describe('what an agent may have done to it', () => {
  test('lines that are no calls are left out and counted, none of their text told', async () => {
    const { open, calls } = await project();
    const { dir } = await open();
    appendSpooledCall(dir, NOTE);
    const junk = ['{"torn', 'null', '[]', '{}', '\u0000', JSON.stringify({ ...NOTE, name: 'become_root' })];
    const wrong = JSON.stringify({ ...NOTE, args: { text: 5 } });
    const huge = JSON.stringify({ ...NOTE, args: { text: 'x'.repeat(300_000) } });
    appendFileSync(calls, `${[...junk, wrong, huge].join('\n')}\n\n`);
    appendSpooledCall(dir, NOTE);
    const told: string[] = [];
    expect(readSpool(dir, (text) => told.push(text))).toEqual([NOTE, NOTE]);
    expect(told).toEqual(["8 lines of the agent's tool calls could not be read"]);
  });

  test('a line that was torn by a writer that died spoils no other', async () => {
    const { open, calls } = await project();
    const { dir } = await open();
    writeFileSync(calls, '{"at":"2026');
    appendSpooledCall(dir, NOTE);
    expect(readSpool(dir)).toEqual([NOTE]);
  });

  test('of too many calls the last ones count', async () => {
    const { open, calls } = await project();
    const { dir } = await open();
    const numbered = (n: number) => ({ ...NOTE, args: { text: `${n}` } });
    writeFileSync(calls, Array.from({ length: 1500 }, (_, n) => `${JSON.stringify(numbered(n))}\n`).join(''));
    const told: string[] = [];
    const kept = readSpool(dir, (text) => told.push(text));
    expect([kept.length, kept.at(-1)]).toEqual([1000, numbered(1499)]);
    expect(told).toEqual(['the agent made too many tool calls: only the last 1000 count']);

    appendFileSync(calls, `${'x'.repeat(9_000_000)}\n${JSON.stringify(NOTE)}\n`);
    expect(readSpool(dir)).toEqual([NOTE]);
  });

  test('something else than a file in its place is not read', async () => {
    const { root, open, calls } = await project();
    const { dir } = await open();
    execFileSync('mkfifo', [calls]);
    expect(readSpool(dir)).toEqual([]);
    rmSync(calls);
    writeFileSync(`${root}/elsewhere/calls.jsonl`, `${JSON.stringify(NOTE)}\n`);
    symlinkSync(`${root}/elsewhere/calls.jsonl`, calls);
    expect(readSpool(dir)).toEqual([]);
    rmSync(calls);
    mkdirSync(calls);
    expect(readSpool(dir)).toEqual([]);
  });

  test('a link out of the work tree is not followed, neither to remove nor to write', async () => {
    const { root, open } = await project();
    await open();
    rmSync(`${root}/.ralph/state`, { recursive: true });
    mkdirSync(`${root}/elsewhere/inside/3`, { recursive: true });
    writeFileSync(`${root}/elsewhere/inside/3/precious`, 'mine');
    symlinkSync(`${root}/elsewhere`, `${root}/.ralph/state`);
    await removeSpool(`${root}/.ralph/state/inside/3`);
    expect(await messageOf(open())).toMatch(/\.ralph\/state\/inside is not a folder of the work tree/);
    expect(readFileSync(`${root}/elsewhere/inside/3/precious`, 'utf8')).toBe('mine');
    expect(await list(`${root}/elsewhere/inside/3`)).not.toContain('hook.cjs');
  });

  test('a session that was changed beyond reading says so', async () => {
    const { open } = await project();
    const { dir } = await open();
    writeFileSync(
      `${dir}/session.json`,
      '{"snapshot":{"format":"tasks-json","file":"f","text":"[","reviewsFile":"r","reviewsText":null}}',
    );
    expect(() => readSpoolSession(dir)).toThrow(/cannot be read/);
    rmSync(`${dir}/session.json`);
    expect(() => readSpoolSession(dir)).toThrow(/not a spool/);
  });
});
