import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../../test/support/command-repository.ts';
import { findWorkspace, openSpool, readSpool } from '../../adapters/workspace/index.ts';
import type { Mode } from '../../contracts/index.ts';
import { loadSource } from '../../rules/backlog/index.ts';
import { spoolToolbox } from './spool-tools.ts';

const FILE = 'ralph/tasks.json';

async function toolbox(mode: Mode = 'implement') {
  const { root } = await freshRepository({
    [FILE]: backlogText,
    'ralph/prd.md': '# Wanted\n',
    'built/plugin/hook.cjs': '',
    'built/plugin/hook/part.cjs': '',
    'built/dist/main.cjs': '',
  });
  const workspace = await findWorkspace({ root, cwd: root, flags: {}, env: {} });
  const source = { format: 'tasks-json', file: FILE, reviewsFile: 'ralph/reviews.json', reviewsText: null } as const;
  const { document: snapshot } = loadSource({ ...source, text: backlogText });
  if (snapshot === null) throw new Error('the backlog of this test cannot be read');
  const judged = {
    question: 'Q7',
    mode,
    story: 'US-001',
    skipReview: false,
    reviewCap: 5,
    toAnswer: [],
    failure: 'npm test failed',
  };
  const { dir } = await openSpool(root, 1, { ...judged, snapshot, workspace }, `${root}/built`);
  return { root, dir, ...spoolToolbox(dir) };
}

test('what only looks is answered from the files, and leaves no trace', async () => {
  const { dir, tool, root } = await toolbox();
  expect(await tool('get_failure_context', {})).toEqual({ text: 'npm test failed', isError: false });
  writeFileSync(`${root}/${FILE}`, readFileSync(`${root}/${FILE}`, 'utf8').replace('"title": "', '"title": "Now: '));
  expect((await tool('list_stories', {})).text).toContain('Now: ');
  expect(readSpool(dir)).toEqual([]);
});

test('what changes something is kept for the loop, which runs the checks before it believes', async () => {
  const { dir, tool } = await toolbox();
  const { text, isError } = await tool('complete_story', { status: 'success', summary: 'Done.' });
  expect(isError).toBe(false);
  expect(text).toMatch(/loop runs the checks when you have ended/);
  expect(text).not.toContain('The checks pass');
  expect((await tool('ask_question', { question: 'Which one?' })).isError).toBe(false);
  expect(readSpool(dir).map(({ name, args }) => [name, args])).toEqual([
    ['complete_story', { status: 'success', summary: 'Done.' }],
    ['ask_question', { question: 'Which one?' }],
  ]);
});

test('what the rules refuse is refused at once, and not kept', async () => {
  const { dir, tool, tools } = await toolbox('review');
  expect(tools.map(({ name }) => name)).not.toContain('complete_story');
  expect(await tool('complete_story', { status: 'success', summary: 'x' })).toMatchObject({ isError: true });
  expect(await tool('submit_review', { verdict: 'request_changes' })).toMatchObject({ isError: true });
  expect(await tool('nothing', {})).toMatchObject({ isError: true });
  expect(readSpool(dir)).toEqual([]);
});

test('a call is judged with those before it, whichever process answered them', async () => {
  const { dir, tool } = await toolbox();
  const part = { title: 'First part', acceptance_criteria: ['works'] };
  const { text } = await tool('split_story', { parts: [part] });
  const id = /US-\d+/.exec(text)?.[0] ?? '';
  const again = spoolToolbox(dir);
  expect((await again.tool('get_story', { id })).text).toContain('First part');
  const answer = await again.tool('complete_story', { status: 'success', summary: 'x' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(id) });
});

test('a call that cannot be kept says so', async () => {
  const { dir, tool } = await toolbox();
  rmSync(dir, { recursive: true });
  const answer = await tool('log_progress', { text: 'x' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^log_progress could not be recorded/) });
});
