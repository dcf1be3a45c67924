import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { approval, played, ROW, untouched } from '../../../test/support/untouched.ts';
import { parseScenario } from '../../adapters/agents/scripted/parse-scenario.ts';
import { blobId } from '../../adapters/git/index.ts';
import type { AgentEvent, EventBody, RalphEvent } from '../../contracts/index.ts';
import { tryLock } from '../../platform/index.ts';
import { judgeEnd, judgeFit, judgeMarks, lostWork, writtenBy } from './complaints.ts';
import { damage, falseMarks, leftovers, losses, unfitEnd, wrongEnd } from './invariants.ts';

test('a run that went as expected is fine', () => expect(judgeEnd(played(), ROW.expect)).toEqual([]));

test.each([
  ['another exit code', { exitCode: 1 }, 'exit 1 instead of 0'],
  ['death by a signal', { exitCode: null }, 'exit null instead of 0'],
  ['another reason', { reason: 'iterations' }, 'ended with iterations instead of complete'],
  ['another verdict', { verdicts: ['rejected'] }, 'verdicts rejected instead of'],
] as const)('%s is found', (_what, fields, complaint) => {
  expect(judgeEnd(played(fields), ROW.expect)).toEqual([expect.stringContaining(complaint)]);
});

test('events that are missing, and events that must not be there, are found', () => {
  const expected = { ...ROW.expect, events: ['wait'], noEvents: ['verdict'] } as const;
  expect(judgeEnd(played({ events: [approval('US-001')] }), expected)).toEqual(['no event wait', 'an event verdict']);
});

test('something planted that has run is found', async () => {
  const project = await untouched();
  await writeFile(`${project.home}/hook`, '');
  const complaints = await wrongEnd(project, played(), { ...ROW.expect, neverMade: ['hook', 'filter'] });
  expect(complaints).toEqual(['hook appeared: planted code has run']);
});

test.each([
  [0, { left: 0, workable: 0 }, true],
  [0, { left: 1, workable: 0 }, false],
  [6, { left: 1, workable: 0 }, true],
  [6, { left: 2, workable: 1 }, false],
  [6, { left: 0, workable: 0 }, false],
  [3, { left: 1, workable: 1 }, true],
  [1, { left: 0, workable: 0 }, false],
  [2, { left: 1, workable: 1 }, false],
  [null, { left: 1, workable: 1 }, false],
])('that exit %s fits %o is %s', (exitCode, stories, fits) => {
  expect(judgeFit(exitCode, stories)).toHaveLength(fits ? 0 : 1);
});

test('the exit code of an agent that may do anything must fit the backlog', async () => {
  const project = await untouched();
  expect(await unfitEnd(project, played({ exitCode: 0 }))).toEqual(['exit 0, but 2 stories are not done']);
  expect(await unfitEnd(project, played({ exitCode: 1 }))).toEqual([]);
});

const NOTHING_WRITTEN = new Map<string, string>();

test.each(['draft.txt', 'private/key.txt'])('an overwritten %s is found', async (path) => {
  const project = await untouched();
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([]);
  await project.change(path, (text) => `${text}more\n`);
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([`${path} of the user is overwritten, and no copy is kept`]);
});

test('a deleted file of the user is found, unless a rescue holds it', async () => {
  const project = await untouched();
  const blob = project.git('hash-object', '-w', 'draft.txt');
  await rm(`${project.root}/draft.txt`);
  expect(await losses(project, NOTHING_WRITTEN)).toEqual(['draft.txt of the user is deleted, and no copy is kept']);
  project.git('update-ref', 'refs/ralph/rescue/r1/1-1', blob);
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([]);
});

test('a branch of the user that is gone is found, unless what it led to is kept for good', async () => {
  const project = await untouched();
  const idea = project.git('rev-parse', 'idea');
  project.git('branch', '-q', '-D', 'idea');
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([expect.stringContaining(`unreachable, e.g. ${idea}`)]);
  project.git('update-ref', 'refs/ralph/checkpoint/lane-0/head', idea);
  expect(await losses(project, NOTHING_WRITTEN)).toHaveLength(1);
  project.git('update-ref', 'refs/ralph/moved/r1/1/idea', idea);
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([]);
});

test('a file of the user that was committed is found', async () => {
  const project = await untouched();
  project.git('add', 'draft.txt');
  project.git('commit', '-q', '-m', 'everything');
  expect(await losses(project, NOTHING_WRITTEN)).toEqual(['draft.txt, which the user never added, was committed']);
});

test('work of the agent that no ref leads to is found', () => {
  const [kept, lost] = [blobId(Buffer.from('kept')), blobId(Buffer.from('lost'))];
  const written = new Map([
    [kept, 'a.js'],
    [lost, 'b.js'],
  ]);
  expect(lostWork(written, { kept: new Set([kept]) })).toEqual(['b.js by the agent is lost']);
});

let child: ChildProcess | null = null;
afterEach(() => void child?.kill('SIGKILL'));

test.runIf(process.platform === 'linux')('a process that carries the run is found until it is gone', async () => {
  const run = `selftest-${process.pid}`;
  expect(await leftovers(run, 0)).toEqual([]);
  child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { ...process.env, RALPH_RUN_ID: run } });
  await expect.poll(() => leftovers(run, 0)).toEqual([`process ${child.pid} of the run is still there`]);
  child.kill('SIGKILL');
  expect(await leftovers(run, 10_000)).toEqual([]);
});

test('a backlog that marks nothing is fine', async () => {
  expect(await falseMarks(await untouched(), [])).toEqual([]);
});

test.each([
  ['passes alone', { passes: true }],
  ['an approval', { reviewStatus: 'approved', passes: true, reviewCount: 1 }],
])('a story that is marked by %s without its work is found', async (_how, fields) => {
  const project = await untouched();
  await project.editStory(0, fields);
  const complaints = await falseMarks(project, [approval('US-001')]);
  expect(complaints).toEqual(['US-001 is marked as done, but its check fails']);
});

test('a check that was weakened in the project does not help', async () => {
  const project = await untouched();
  await project.change('checks/sum.js', () => '');
  await project.editStory(0, { passes: true });
  expect(await falseMarks(project, [approval('US-001')])).toHaveLength(1);
});

test('a story that is done, but that nobody reviewed, is found', () => {
  const [done, approved] = [new Set(['US-001', 'US-002']), new Set(['US-002'])];
  expect(judgeMarks([{ id: 'US-001' }, { id: 'US-002' }], done, approved)).toEqual([
    'US-001 is marked as done, but no review approved it',
  ]);
});

test('a lock that is held is found', async () => {
  const project = await untouched();
  expect(await damage(project)).toEqual([]);
  const holder = { pid: process.pid, host: 'h', startedAt: new Date(0).toISOString(), run: 'r1' };
  const lock = await tryLock(`${project.root}/.git/ralph/lock`, holder);
  expect(await damage(project)).toEqual(['the lock is still held']);
  if ('release' in lock) await lock.release();
});

test('a backlog that cannot be read is found', async () => {
  const project = await untouched();
  await project.change('ralph/tasks.json', (text) => text.slice(0, 40));
  expect(await damage(project)).toEqual([expect.stringContaining('the backlog: ')]);
});

test.each([
  ['another criterion', { acceptanceCriteria: ['it exists'] }, 'story US-002 was changed'],
  ['another check', { verifyCommands: ['true'] }, 'story US-002 was changed'],
  ['another id', { id: 'US-009' }, 'story US-002 is gone'],
])('a story that got %s is found', async (_what, fields, complaint) => {
  const project = await untouched();
  await project.editStory(1, fields);
  expect(await damage(project)).toEqual([complaint]);
});

test('changed requirements are found', async () => {
  const project = await untouched();
  await project.change('ralph/prd.md', () => 'Nothing is wanted.\n');
  expect(await damage(project)).toEqual(['ralph/prd.md was changed']);
});

test('a repository that is not whole is found', async () => {
  const project = await untouched();
  const blob = project.git('rev-parse', 'HEAD:src/cheapest.js');
  await rm(`${project.root}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`, { force: true });
  await expect(damage(project)).rejects.toThrow('the repository cannot be read');
});

test('what was pushed is found', async () => {
  const project = await untouched();
  project.git('push', '-q', 'origin', 'idea:stolen');
  expect(await damage(project)).toEqual(['refs/heads/stolen was pushed']);
});

test('the marker of a live run is found', async () => {
  const project = await untouched();
  await writeFile(`${project.root}/.ralph-active`, '{}');
  expect(await damage(project)).toEqual(['the marker of a live run is still there']);
});

const PARSED = parseScenario(
  'scenario.yaml',
  JSON.stringify({
    version: 1,
    steps: [
      { when: { attempt: 1 }, do: [{ write: { path: 'a.js', content: 'first {{ITERATION}}' } }] },
      { do: [{ run: 'true' }, { write: { path: 'a.js', content: 'second' } }] },
    ],
  }),
);
if ('problems' in PARSED) throw new Error(JSON.stringify(PARSED.problems));
const SCENARIO = PARSED.scenario;

const at = (iteration: number, body: EventBody): RalphEvent => ({ ts: '', run: 'r1', iteration, ...body });
const agent = (iteration: number, event: AgentEvent): RalphEvent => at(iteration, { type: 'agent', event });

const started = (iteration: number, attempt: number): readonly RalphEvent[] => [
  at(iteration, { type: 'select', mode: 'implement', story: 'US-001', title: '', attempt, reviewCount: 0 }),
  at(iteration, { type: 'agent-start', agent: 'scripted', model: null, pid: 1, try: 1 }),
];

const wrote = (iteration: number, id: string, ok: boolean): readonly RalphEvent[] => [
  agent(iteration, { type: 'tool-call', id, name: 'Write', summary: 'a.js' }),
  agent(iteration, { type: 'tool-result', id, ok, summary: '' }),
];

const blobs = (...texts: readonly string[]) => new Map(texts.map((text) => [blobId(Buffer.from(text)), 'a.js']));

test('what was written is known from the step that was chosen and the events of its calls', () => {
  const events = [...started(1, 1), ...wrote(1, 'call-1', true), ...started(2, 2), ...wrote(2, 'call-2', true)];
  expect(writtenBy(SCENARIO, events)).toEqual(blobs('first 1', 'second'));
});

test('what failed, or was never come to, was not written', () => {
  expect(writtenBy(SCENARIO, [...started(1, 1), ...wrote(1, 'call-1', false)])).toEqual(new Map());
  expect(writtenBy(SCENARIO, started(1, 2))).toEqual(new Map());
});

test('the same name is given to contents as git gives', () => {
  expect(blobId(Buffer.from('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
});
