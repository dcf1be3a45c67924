import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { markedProcesses } from '../support/processes.ts';
import { easySteps, makeProject, type Project, type ProjectOptions, RALPH } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { READY, write } from '../support/says.ts';
import { until } from '../support/until.ts';

const bwrap = { backend: 'bwrap', missing: await needs('bwrap') };
const BACKENDS = [bwrap, { backend: 'container', missing: await needs('podman') }];

const projects: Project[] = [];
afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.remove()));
});

async function fresh(options: ProjectOptions): Promise<Project> {
  const project = await makeProject(options);
  projects.push(project);
  return project;
}

/** What a run did, without what is different each time. */
async function story(project: Project): Promise<readonly unknown[]> {
  const lines = (await ledgerOf(project)).map(({ iteration, mode, verdict, reason, blocked, workFiles }) => ({
    iteration,
    mode,
    verdict,
    reason,
    blocked,
    workFiles,
  }));
  const subjects = (await project.git('log', '--format=%s', 'ralph/test')).split('\n');
  return [lines, subjects, await project.stories(), await project.git('ls-tree', '-r', '--name-only', 'ralph/test')];
}

const UP_AND_DOWN: ProjectOptions = {
  verifyCommands: ['! test -e broken.txt', 'test "$(git status --porcelain -- README.md)" = ""'],
  stories: [{ id: 'US-001' }, { id: 'US-002' }],
  steps: [
    {
      when: { story: 'US-001', mode: 'implement', attempt: 1 },
      do: [write('broken.txt', 'x\n'), { run: 'git add -A && git commit -qm broken && git tag mine' }, READY],
    },
    {
      when: { story: 'US-002', mode: 'implement' },
      do: [write('two.txt', '2\n'), { run: 'git add -A && git commit -qm two && git branch side' }, READY],
    },
    ...easySteps('US-001'),
    ...easySteps('US-002'),
  ],
};

describe.each(BACKENDS)('inside $backend', ({ backend, missing }) => {
  const inside = [`--sandbox=${backend}`];
  const again = backend === 'container' ? { tags: ['long'] } : {};

  test.skipIf(missing)(
    'a run does what it does without isolation: the same verdicts, commits and stories',
    async () => {
      const [without, within] = [await fresh(UP_AND_DOWN), await fresh(UP_AND_DOWN)];
      const ended = [await without.run(), await within.run(inside)];
      expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
        { code: 0, stderr: '' },
        { code: 0, stderr: '' },
      ]);
      expect(await story(within)).toEqual(await story(without));
      // Refs that agents make stay theirs: kept, and not among the person's.
      expect(await within.git('for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags')).not.toMatch(
        /mine|side/,
      );
      const kept = await within.git('for-each-ref', '--format=%(refname)', 'refs/ralph/guest');
      expect(kept).toMatch(/\/1\/refs\/tags\/mine\n.*\/refs\/heads\/side$/);
      expect(await within.git('fsck', '--no-dangling')).toBe('');
      expect(existsSync(`${within.root}/.git/ralph/guest/lane-0`)).toBe(false);
    },
  );

  test.skipIf(missing)('commit hooks see the commit, may change it, and run inside', again, async () => {
    const project = await fresh({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
    const hook = `#!/bin/sh
      [ -z "$(ls "${project.outside}/scenario.yaml" 2>/dev/null)" ] || exit 3
      git diff --cached --name-only > .git/seen && echo formatted >> src/US-001.txt && git add src/US-001.txt`;
    await project.write('.git/hooks/pre-commit', hook);
    await chmod(`${project.root}/.git/hooks/pre-commit`, 0o755);
    const { code, stdout } = await project.run(inside);
    expect(code, stdout).toBe(0);
    expect(await project.git('show', 'ralph/test:src/US-001.txt')).toBe('made for US-001\nformatted');
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(existsSync(`${project.root}/.git/seen`)).toBe(false);
  });

  test.skipIf(missing)('an agent whose time is up is asked first, and may end by itself', again, async () => {
    const run = "trap 'echo asked > asked.txt; exit 0' TERM; while :; do sleep 0.1; done";
    const files = { 'ralph.config.json': JSON.stringify({ command: { run } }) };
    const project = await fresh({ stories: [{ id: 'US-001' }], files });
    await project.ralph(['run', '--agent', 'command', ...inside, '-n', '1', '--timeout', '4', '--rollback', 'never']);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'timed-out' }]);
    expect(await project.read('asked.txt')).toBe('asked\n');
  });

  test.skipIf(missing)(
    'kill -9 leaves nothing running, and the next start keeps what the agent had committed',
    async () => {
      const busy = [
        write('half.txt', 'half\n'),
        { run: 'git add -A && git commit -qm half && echo busy > busy.txt && sleep 600' },
      ];
      const project = await fresh({
        stories: [{ id: 'US-001' }],
        steps: [{ when: { iteration: 1 }, do: busy }, ...easySteps('US-001')],
      });
      const { child, ended } = project.start(['run', '--scenario', project.scenario, ...inside]);
      await until(async () => (await project.read('busy.txt')) !== '');
      const { run } = JSON.parse(await project.read('.ralph-active'));
      child.kill('SIGKILL');
      await ended;
      await until(async () => (await markedProcesses(run)).length === 0);
      const next = await project.run(inside);
      expect(next.stdout).toContain('it was rolled back; its work is kept');
      const rescue = await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/rescue');
      expect(await project.git('log', '-1', '--format=%s', `${rescue.split('\n')[0]}^1`)).toBe('half');
    },
  );

  test.skipIf(missing)(
    'what the agent has committed inside counts when it wants to stop, and it can go on committing',
    again,
    async () => {
      const step = {
        do: [write('a.txt', 'a\n'), { commit: 'one' }, write('b.txt', 'b\n'), READY],
        refused: [{ commit: 'two' }, READY],
      };
      const project = await fresh({ stories: [{ id: 'US-001' }] });
      await writeFile(project.scenario, JSON.stringify({ version: 1, hooks: true, steps: [step] }));
      const { stdout } = await project.run([...inside, '--once'], { RALPH_COMMITS: 'keep' });
      expect(stdout.match(/uncommitted changes: [^ ]*/g)).toEqual(['uncommitted changes: b.txt.']);
      expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted', error: null }]);
      const { run } = JSON.parse(await project.read('.ralph/status.json'));
      expect(await project.git('log', '-2', '--format=%s', `refs/ralph/iterations/${run}/1`)).toBe('two\none');
    },
  );

  test.skipIf(missing)('a folder of the host that was open when ralph started is not there', again, async () => {
    const look = { run: 'for p in self 1 2 3; do ls -L /proc/$p/fd/60/ ; done > seen.txt 2>&1; true' };
    const project = await fresh({ stories: [{ id: 'US-001' }], steps: [{ do: [look, { say: 'I looked.' }] }] });
    const args = ['run', '--scenario', project.scenario, ...inside, '--once', '--rollback', 'never'];
    const bash = spawn(
      'bash',
      ['-c', 'exec 60<"$1"; shift; exec "$@"', 'bash', project.outside, process.execPath, RALPH, ...args],
      {
        cwd: project.root,
        env: { ...process.env, HOME: project.outside, TMPDIR: project.outside },
        stdio: 'ignore',
      },
    );
    await once(bash, 'exit');
    expect(await project.read('seen.txt')).not.toContain('scenario.yaml');
  });
});

// Home folders are made in one place for all backends: src/adapters/isolation/home.
describe('a home folder inside', () => {
  test.skipIf(bwrap.missing)('what an agent leaves in the home folder inside turns no red check green', async () => {
    const plant = 'echo "script-shell=/bin/true" > "$HOME/.npmrc"; echo "echo planted" > "$HOME/.bashrc"';
    const project = await fresh({
      files: { 'package.json': JSON.stringify({ scripts: { test: 'test -e never.txt' } }) },
      verifyCommands: ['npm test --silent'],
      stories: [{ id: 'US-001', verifyCommands: ['npm test --silent'] }],
      steps: [{ do: [{ run: plant }, write('a.txt', 'a\n'), READY] }],
    });
    await project.run(['--sandbox=bwrap', '--once']);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'rejected' }]);
  });

  test.skipIf(bwrap.missing)('what a check or an agent leaves at home is not there for the next process', async () => {
    const check = 'test ! -e "$HOME/CLAUDE.md" && echo planted > "$HOME/CLAUDE.md"';
    const agent = 'cat "$HOME/CLAUDE.md" > seen.txt; echo planted > "$HOME/CLAUDE.md"';
    const project = await fresh({
      verifyCommands: [check],
      stories: [{ id: 'US-001' }],
      steps: [{ do: [{ run: agent }, write('a.txt', 'a\n'), READY] }],
    });
    await project.run(['--sandbox=bwrap', '-n', '2']);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted' }, {}]);
    expect(await project.read('seen.txt')).toBe('');
  });
});

test.skipIf(bwrap.missing)('a linked worktree runs inside as well; the main one is not there', async () => {
  const project = await fresh({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
  await project.git('worktree', 'add', '-q', '-b', 'lane', `${project.outside}/../lane`);
  const lane = `${project.outside}/../lane`;
  const { code, stdout } = await project.run(['--sandbox=bwrap', '--project-dir', lane, '--no-branch']);
  expect(code, stdout).toBe(0);
  expect(await project.git('-C', lane, 'log', '-1', '--format=%s')).toContain('US-001');
  expect(await project.git('-C', lane, 'status', '--porcelain')).toBe('');
  expect(await project.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
});

test.skipIf(bwrap.missing)('an agent that is not logged in inside says where to do that', async () => {
  const steps = [{ do: [{ fail: { kind: 'auth', message: 'Not logged in' } }] }];
  const project = await fresh({ stories: [{ id: 'US-001' }], steps });
  const { code, stdout } = await project.run(['--sandbox=bwrap']);
  expect(code, stdout).toBe(7);
  expect(stdout).toContain('`ralph sandbox shell` and log in once');
});
