import { expect, test } from 'vitest';
import { makeRepository, type Repository } from '../../../test/support/git-repository.ts';
import { findWorkspace } from '../../adapters/workspace/index.ts';
import type { EventBody, LedgerLine } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { aLine } from '../../rules/safeguards/ledger.fixture.ts';
import type { RunContext } from '../context.ts';
import { reopenLost } from './lost-work.ts';

const story = (id: string) => ({ id, title: id, acceptanceCriteria: ['x'], priority: 1, passes: true, reviewCount: 1 });
const BACKLOG = JSON.stringify({ project: 'p', branchName: 'main', userStories: ['A', 'B'].map(story) }, null, 2);

/** Two stories that are done: A wrote a.txt and more.txt, and B does `sabotage` in the work that was accepted as its own. */
async function twoStories(sabotage: string, person = '') {
  const repo = await makeRepository({ 'ralph/tasks.json': BACKLOG, 'b.txt': 'old\n' });
  const head = () => repo.run('rev-parse', 'HEAD').trim();
  const commit = (command: string) => {
    const base = head();
    repo.sh(command);
    repo.run('add', '-A');
    repo.run('commit', '-q', '--allow-empty', '-m', 'work');
    return { base, commit: head(), workFiles: 1, verdict: 'accepted' } as const;
  };
  const first = commit('echo a >a.txt; echo more >more.txt');
  const second = commit(`echo b >b.txt; ${sabotage}`);
  if (person !== '') commit(person);
  const ledger: LedgerLine[] = [aLine({ story: 'A', ...first }), aLine({ story: 'B', ...second })];
  return { repo, ...(await ended(repo, ledger)) };
}

async function ended(repo: Repository, ledger: LedgerLine[]) {
  const told: EventBody[] = [];
  const context = await contextOf(repo, ledger, (_, body) => void told.push(body));
  return { told, reopened: await reopenLost(context) };
}

async function contextOf({ root, git }: Repository, ledger: LedgerLine[], emit: RunContext['emit']) {
  const workspace = await findWorkspace({ root, cwd: root, flags: {}, env: {} });
  return { git, ledger, run: 'r1', workspace, clock: systemClock, emit } as unknown as RunContext;
}

test('a done story whose whole work another story took away is to do again, and that is told', async () => {
  const { repo, reopened, told } = await twoStories('rm a.txt more.txt');
  expect(reopened).toEqual(['A']);
  const stories = JSON.parse(repo.read('ralph/tasks.json') ?? '').userStories;
  expect(stories).toMatchObject([
    { id: 'A', passes: false },
    { id: 'B', passes: true },
  ]);
  expect(told).toContainEqual(expect.objectContaining({ type: 'story', story: 'A', from: 'done', to: 'open' }));
});

test.each([
  ['of which something is left', 'rm a.txt', ''],
  ['that a later story changed on purpose', 'echo other >a.txt; echo other >more.txt', ''],
  ['that a person took back', 'true', 'rm a.txt more.txt'],
])('a done story %s stays done', async (_, sabotage, person) => {
  const { repo, reopened } = await twoStories(sabotage, person);
  expect(reopened).toEqual([]);
  expect(repo.read('ralph/tasks.json')).toBe(BACKLOG);
});

test('a run that is killed while it reopens a story does not leave it done: the next run would not look again', async () => {
  const repo = await makeRepository({ 'ralph/tasks.json': BACKLOG });
  const base = repo.run('rev-parse', 'HEAD').trim();
  repo.sh('echo a >a.txt; git add -A; git commit -qm work');
  const commit = repo.run('rev-parse', 'HEAD').trim();
  repo.sh('git rm -q a.txt; git commit -qm other');
  const undone = { base: commit, commit: repo.run('rev-parse', 'HEAD').trim() };
  const steps = [aLine({ story: 'A', base, commit }), aLine({ story: 'B', ...undone })];
  const ledger: LedgerLine[] = steps.map((line) => ({ ...line, workFiles: 1, verdict: 'accepted' }) as LedgerLine);
  const killed = await contextOf(repo, ledger, () => {
    throw new Error('killed');
  });
  await expect(reopenLost(killed)).rejects.toThrow('killed');
  expect(JSON.parse(repo.read('ralph/tasks.json') ?? '').userStories[0]).toMatchObject({ id: 'A', passes: false });
});
