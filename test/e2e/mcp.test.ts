import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { CHECKED, STOPS } from '../support/checked-project.ts';
import { makeProject, type Project, RALPH } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';
import { write } from '../support/says.ts';

/** `ralph mcp`: the tools over standard input and output, inside a run and outside. */

let project: Project;
afterEach(() => project?.remove());

const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });
const call = (id: number, name: string, args: object = {}) => request(id, 'tools/call', { name, arguments: args });
const initialize = request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const lines = (messages: readonly object[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');

interface Answer {
  readonly id: number;
  readonly result: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
}

function answersIn(text: string): ReadonlyMap<number, Answer['result']> {
  const answers = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
  return new Map(answers.map(({ id, result }) => [id, result]));
}

test('inside a run ralph mcp serves its tools over standard input and output', async () => {
  const serve = `'${process.execPath}' '${RALPH}' mcp`;
  project = await makeProject({
    ...CHECKED,
    stories: [{ id: 'US-001' }],
    steps: [
      {
        do: [
          write('broken.txt', 'x\n'),
          { run: { command: `cat ../outside/red.jsonl | ${serve} > ../outside/red.answers`, expect: 'ok' } },
          { delete: 'broken.txt' },
          write('till.txt', 'x\n'),
          { run: { command: `cat ../outside/green.jsonl | ${serve} > ../outside/green.answers`, expect: 'ok' } },
          STOPS,
        ],
      },
    ],
  });
  const outside = (name: string) => join(project.outside, name);
  const claim = { status: 'success', summary: 'Said over stdio.' };
  await writeFile(
    outside('red.jsonl'),
    lines([initialize, initialized, request(2, 'tools/list'), call(3, 'complete_story', claim)]),
  );
  await writeFile(
    outside('green.jsonl'),
    lines([
      initialize,
      initialized,
      call(2, 'complete_story', claim),
      call(3, 'submit_review', { verdict: 'approve' }),
    ]),
  );
  const { stdout } = await project.run(['--once']);
  const red = answersIn(await readFile(outside('red.answers'), 'utf8'));
  expect(red.get(2)?.tools?.map(({ name }) => name)).toContain('complete_story');
  expect(red.get(3)).toMatchObject({ isError: true });
  expect(red.get(3)?.content?.[0]?.text).toContain('it is broken');
  const green = answersIn(await readFile(outside('green.answers'), 'utf8'));
  expect(green.get(2), stdout).toMatchObject({ isError: false });
  expect(green.get(3)).toMatchObject({ isError: true });
  expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted' }]);
  expect((await project.stories())[0]).toMatchObject({ reviewStatus: 'needs_review', notes: 'Said over stdio.' });
  // What a client asks at the same time is answered in any order.
  const calls = (await eventsOf(project)).filter(({ type }) => type === 'tool-call');
  expect(calls).toHaveLength(3);
  expect(calls).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ tool: 'complete_story', refused: expect.stringContaining('not finished') }),
      expect.objectContaining({ tool: 'complete_story', refused: null }),
      expect.objectContaining({ tool: 'submit_review', refused: expect.stringContaining('own work') }),
    ]),
  );
});

test.each([
  ['a pipe', 'cat ../outside/requests.jsonl |', ''],
  ['a file', '', '< ../outside/requests.jsonl'],
])('outside a run, fed from %s, answers what the files say and refuses to change anything', async (_how, from, to) => {
  project = await makeProject({ ...CHECKED, stories: [{ id: 'US-001', title: 'Build a till' }] });
  const requests = [
    initialize,
    initialized,
    call(2, 'get_story'),
    call(3, 'complete_story', { status: 'success', summary: 'x' }),
    call(4, 'add_story', { title: 'x', acceptance_criteria: ['x works'] }),
  ];
  await writeFile(join(project.outside, 'requests.jsonl'), lines(requests));
  const { exitCode, stdout } = await runCommand('sh', ['-c', `${from} '${process.execPath}' '${RALPH}' mcp ${to}`], {
    cwd: project.root,
    env: { PATH: process.env['PATH'], HOME: project.outside },
    timeoutMs: 300_000,
  });
  const answers = answersIn(stdout.toString('utf8'));
  expect(exitCode).toBe(0);
  expect(answers.get(2)?.content?.[0]?.text).toContain('US-001: Build a till');
  for (const id of [3, 4]) {
    expect(answers.get(id)).toMatchObject({ isError: true });
    expect(answers.get(id)?.content?.[0]?.text).toContain('ralph run');
  }
  expect(await project.git('status', '--porcelain')).toBe('');
});
