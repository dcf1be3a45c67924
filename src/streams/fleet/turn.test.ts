import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { openFleetGit } from '../../adapters/git/fleet/open.ts';
import { type FleetGit, openGit } from '../../adapters/git/index.ts';
import { appendSteering, readSteering, writeJournal } from '../../adapters/workspace/index.ts';
import { JOURNAL_VERSION, type TurnReport } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { GivenBack, type Turn } from '../engine/port.ts';
import { lastingClone, secureClone } from './clone.ts';
import { FLEET_TASK_VERSION } from './task.ts';
import { fleetTurn } from './turn.ts';

const STREAM = { stream: 'PRD-1', branch: 'ralph/prd-1' };
const TASK = {
  version: FLEET_TASK_VERSION,
  submission: 's1',
  branch: STREAM.branch,
  specDir: 'spec',
  maxIterations: null,
};
const NEXT: TurnReport = { outcome: { kind: 'next' }, used: { costUsd: 1, tokens: 2, calls: [3] } };

/** A remote with the branch of a stream, and workers whose agents are functions. */
async function makeFleet() {
  const repo = await makeRepository({ 'a.txt': 'one\n', 'spec/tasks.json': '{}\n' });
  repo.sh('git branch ralph/prd-1 && git clone -q --bare . ../remote.git');
  const remote = join(repo.root, '../remote.git');
  const folder = (name: string) => join(repo.root, `../${name}`);
  const said: string[] = [];
  const worker = async (
    name: string,
    agent: (root: string, fleet: FleetGit) => Promise<void> | void,
    key = 'the key of this fleet',
  ) => {
    const fleet = await lastingClone(() => openFleetGit({ remote, folder: folder(name), env: repo.env, worker: name }));
    let agents = 0;
    const take = fleetTurn({
      fleet,
      key,
      clock: systemClock,
      openGit: (root) => openGit(root, { env: repo.env }),
      say: (_, text) => said.push(text),
      patienceMs: 0,
      async take({ root }) {
        agents++;
        await agent(root, fleet);
        return NEXT;
      },
    });
    const turn = (n: number, more: Partial<Turn> = {}) =>
      take({
        stream: STREAM.stream,
        task: TASK,
        n,
        attempt: 1,
        left: { costUsd: null, tokens: null },
        signal: new AbortController().signal,
        ...more,
      });
    return { turn, fleet, agents: () => agents };
  };
  const remoteGit = (command: string) => repo.sh(`git --git-dir ../remote.git ${command}`).trim();
  const commit = (root: string, text: string) => {
    writeFileSync(join(root, 'a.txt'), text);
    repo.sh(`cd '${root}' && git -c user.name=U -c user.email=u@e.org commit -qam '${text}'`);
  };
  return { repo, remote, folder, worker, remoteGit, commit, said };
}

const STATE = 'refs/ralph/fleet/PRD-1/state';

/** Pushes another state of the stream, as everyone can who may push: one file of it is replaced. */
function moveState(repo: { sh(command: string): string; root: string }, file: string): void {
  repo.sh(
    `export GIT_DIR=../remote.git GIT_INDEX_FILE=../forged-index && git read-tree ${STATE} && ` +
      `git update-index --cacheinfo 100644,$(git hash-object -w ${file}),${file} && ` +
      `git update-ref ${STATE} $(git -c user.name=M -c user.email=m@e.org commit-tree -m forged $(git write-tree))`,
  );
}

/** The state folder of a work tree. */
async function stateOf(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  return (await openGit(root, { env })).repo.stateDir;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe('a turn of a fleet', () => {
  it('hands the next worker what decides, and nothing that only an earlier turn on that machine knew', async () => {
    const { repo, worker, commit } = await makeFleet();
    const one = await worker('one', async (root) => {
      const state = await stateOf(root, repo.env);
      write(`${state}/ledger.jsonl`, '{"n":1}\n');
      write(`${state}/run.json`, '{"run":"r"}\n');
      write(`${state}/status.json`, '{}\n');
      write(join(root, 'spec/progress.md'), 'feedback\n');
      write(join(root, 'loose.txt'), 'no part of the spec folder\n');
      commit(root, 'first');
    });
    expect(await one.turn(1)).toEqual(NEXT);
    const seen: (string | null)[] = [];
    let stale = false;
    const two = await worker('two', async (root) => {
      const state = await stateOf(root, repo.env);
      const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
      seen.push(
        ...['ledger.jsonl', 'run.json', 'status.json', 'steering.jsonl'].map((name) => read(`${state}/${name}`)),
      );
      seen.push(read(join(root, 'spec/progress.md')), read(join(root, 'loose.txt')), read(join(root, 'a.txt')));
      stale = existsSync(`${state}/journal`);
    });
    const state = await stateOf((await two.fleet.checkOut(STREAM))?.root ?? '', repo.env);
    for (const name of ['steering.jsonl', 'ledger.jsonl', 'journal/lane-0.json'])
      write(`${state}/${name}`, 'of another time\n');
    await two.turn(2);
    expect(seen).toEqual(['{"n":1}\n', '{"run":"r"}\n', null, null, 'feedback\n', null, 'first']);
    expect(stale).toBe(false);
  });

  it.each([
    ['is changed', (state: string) => state.replace('"next"', '"done"')],
    ['says less', (state: string) => state.replace('"n": 1', '"n": 0')],
  ])('believes nothing of a state that %s by another than a worker', async (_, forge) => {
    const { repo, worker, commit, remoteGit } = await makeFleet();
    let turns = 0;
    const one = await worker('one', (root) => commit(root, `turn ${++turns}`));
    await one.turn(1);
    const outcome = remoteGit(`show ${STATE}:outcome.json`);
    expect(forge(outcome)).not.toBe(outcome);
    write(join(repo.root, 'outcome.json'), forge(outcome));
    moveState(repo, 'outcome.json');
    const before = remoteGit('rev-parse ralph/prd-1');
    const report = await one.turn(2);
    expect(report.outcome).toMatchObject({
      kind: 'later',
      until: null,
      text: expect.stringContaining('RALPH_FLEET_KEY'),
    });
    expect([one.agents(), remoteGit('rev-parse ralph/prd-1')]).toEqual([1, before]);
    remoteGit(`update-ref -d ${STATE}`);
    expect(await one.turn(2)).toEqual(NEXT);
  });

  it('believes nothing of a state that another fleet wrote, or a worker of this one for another stream', async () => {
    const { repo, worker, remoteGit } = await makeFleet();
    await (await worker('other', () => undefined, 'the key of another fleet')).turn(1);
    const one = await worker('one', () => undefined);
    expect((await one.turn(2)).outcome).toMatchObject({ kind: 'later', text: expect.stringContaining('not written') });
    repo.sh('git --git-dir ../remote.git branch ralph/prd-2 main');
    remoteGit(`update-ref -d ${STATE}`);
    await one.turn(1, { stream: 'PRD-2', task: { ...TASK, branch: 'ralph/prd-2' } });
    remoteGit(`update-ref ${STATE} ${STATE.replace('PRD-1', 'PRD-2')}`);
    expect((await one.turn(2)).outcome).toMatchObject({ kind: 'later', text: expect.stringContaining('not written') });
    expect(one.agents()).toBe(1);
  });

  it('hands on what people said, signed anew where it is taken over', async () => {
    const { repo, worker } = await makeFleet();
    const one = await worker('one', async (root) => {
      await appendSteering(await stateOf(root, repo.env), { kind: 'note', text: 'mind the gap', at: 1 });
    });
    await one.turn(1);
    const heard: unknown[] = [];
    const two = await worker('two', async (root) => {
      heard.push(...(await readSteering(await stateOf(root, repo.env))));
    });
    await two.turn(2);
    expect(heard).toMatchObject([{ kind: 'note', text: 'mind the gap' }]);
  });

  it('is reported without an agent where the remote has it already; that of another submission is none of it', async () => {
    const { worker, said } = await makeFleet();
    const agent = () => undefined;
    await (await worker('one', agent)).turn(1);
    const two = await worker('two', agent);
    expect(await two.turn(1)).toEqual(NEXT);
    expect([two.agents(), said]).toEqual([0, ['turn 1 was already taken: its work is on the remote']]);
    await two.turn(1, { task: { ...TASK, submission: 's2' } });
    expect(two.agents()).toBe(1);
  });

  it('counts for nothing where a later one is on the remote, or the branch moved meanwhile', async () => {
    const { worker, commit, remoteGit } = await makeFleet();
    const one = await worker('one', (root) => commit(root, 'mine'));
    await one.turn(2);
    const late = await one.turn(1).catch((error) => error);
    expect(late).toMatchObject({ here: false });
    expect(late.message).toMatch(/does not count: turn 2 is on the remote/);
    const two = await worker('two', (root) => {
      commit(root, 'too late');
      remoteGit(`update-ref refs/heads/ralph/prd-1 ${remoteGit('rev-parse main')}`);
    });
    const error = await two.turn(3).catch((failure) => failure);
    expect(error).toMatchObject({
      here: false,
      message: expect.stringContaining('its branch or state moved meanwhile'),
    });
    expect(remoteGit('log -1 --format=%s ralph/prd-1')).not.toBe('too late');
  });

  it('rests where the remote cannot be reached, and names a branch that is not there', async () => {
    const { worker, repo } = await makeFleet();
    const one = await worker('one', () => undefined);
    await expect(one.turn(1, { task: { ...TASK, branch: 'ralph/prd-9' } })).rejects.toThrow('no branch ralph/prd-9');
    repo.sh('mv ../remote.git ../away.git');
    const error = await one.turn(1).catch((failure) => failure);
    expect(error).toBeInstanceOf(GivenBack);
    expect(error.message).toBe('the git remote of the fleet cannot be reached');
    expect(one.agents()).toBe(0);
    repo.sh('mv ../away.git ../remote.git');
    expect(await one.turn(1)).toEqual(NEXT);
  });

  it('waits for a person where somebody took commits off the branch', async () => {
    const { worker, commit, remoteGit } = await makeFleet();
    const one = await worker('one', (root) => commit(root, 'mine'));
    await one.turn(1);
    remoteGit(`update-ref refs/heads/ralph/prd-1 ${remoteGit('rev-parse main')}`);
    const two = await worker('two', () => undefined);
    for (const again of [one, two]) {
      const { outcome } = await again.turn(2);
      expect(outcome).toMatchObject({
        kind: 'later',
        until: null,
        text: expect.stringContaining('ralph/prd-1 was moved back'),
      });
    }
    expect([one.agents(), two.agents()]).toEqual([1, 0]);
    expect(await two.turn(1, { task: { ...TASK, submission: 's2' } })).toEqual(NEXT);
  });

  it('waits for a person where the branch would get stories that git ignores where they were submitted', async () => {
    const { worker } = await makeFleet();
    const one = await worker('one', () => undefined);
    const spec = { files: { 'spec/prd.md': 'x\n' }, from: '' };
    const { outcome } = await one.turn(1, { task: { ...TASK, spec } });
    expect(outcome).toMatchObject({
      kind: 'later',
      text: expect.stringContaining('no .gitignore on ralph/prd-1 names spec'),
    });
    expect(one.agents()).toBe(0);
  });

  it('makes its clone anew when somebody removed it, before the turn or in it', async () => {
    const { worker, commit, folder, remoteGit } = await makeFleet();
    let removing = true;
    const one = await worker('one', (root) => {
      if (removing) rmSync(folder('one'), { recursive: true });
      else commit(root, 'in a new clone');
    });
    await expect(one.turn(1)).rejects.toThrow('the work folder of the worker is gone');
    removing = false;
    expect(await one.turn(1)).toEqual(NEXT);
    expect(remoteGit('log -1 --format=%s ralph/prd-1')).toBe('in a new clone');
  });

  it('that was ended pushes nothing', async () => {
    const { worker, commit, remoteGit } = await makeFleet();
    const ending = new AbortController();
    const one = await worker('one', (root) => {
      commit(root, 'half');
      ending.abort('timeout');
    });
    await expect(one.turn(1, { signal: ending.signal })).rejects.toThrow('it took longer than --turn-timeout');
    expect(remoteGit('log -1 --format=%s ralph/prd-1')).not.toBe('half');
    expect(remoteGit('for-each-ref refs/ralph')).toBe('');
  });
});

it('what an agent planted in a clone whose worker was killed is put back before the clone is used', async () => {
  const { repo, worker, folder } = await makeFleet();
  const { fleet } = await worker('one', () => undefined);
  const root = (await fleet.checkOut(STREAM))?.root ?? '';
  const git = await openGit(root, { env: repo.env });
  const [trust, checkpoint] = [await git.snapshotTrust(), await git.checkpoint('lane-0')];
  const before = readFileSync(`${fleet.clone}/config`, 'utf8');
  await writeJournal(git.repo.stateDir, {
    version: JOURNAL_VERSION,
    run: 'r1',
    iteration: 1,
    story: 'US-001',
    mode: 'implement',
    attempt: 1,
    phase: 'checkpointed',
    startedAt: 1,
    checkpoint,
    trust,
  });
  write(`${fleet.clone}/hooks/pre-commit`, '#!/bin/sh\n');
  writeFileSync(`${fleet.clone}/config`, `${before}[core]\n\tfsmonitor = touch /nowhere\n`);
  await secureClone(folder('one'), repo.env);
  expect(readFileSync(`${fleet.clone}/config`, 'utf8')).toBe(before);
  expect(existsSync(`${fleet.clone}/hooks/pre-commit`)).toBe(false);
});
