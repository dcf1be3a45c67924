import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { type Ended, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, READY, shell, tool, write } from '../support/says.ts';
import { until } from '../support/until.ts';

/** Where and how often the project's checks run. The check counts its runs in a file outside of the project. */

let project: Project;
afterEach(() => project?.remove());

const CHECK = 'echo run >>"$HOME/runs" && sh check.sh';
const FILES = { 'check.sh': 'test ! -e broken.txt\n' };
const complete = tool('complete_story', { status: 'success', summary: 'It adds up.', tests: 'passing' });
const implement = (id: string) => ({
  when: { story: id, mode: 'implement' },
  do: [write(`${id}.txt`, 'work\n'), complete, READY],
});
const approve = { when: { mode: 'review' }, do: [APPROVED] };
const settings = (checks: object) => ({ 'ralph.config.json': JSON.stringify({ checks }) });

async function run(options: ProjectOptions, args: readonly string[] = []): Promise<Ended> {
  project = await makeProject({ files: FILES, verifyCommands: [CHECK], ...options });
  return project.run(args);
}

async function runs(): Promise<number> {
  const text = await readFile(`${project.outside}/runs`, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).length;
}

describe('a tree is checked once', () => {
  test('a story that is implemented and approved costs one run, beside that before the first', {
    tags: ['promise'],
  }, async () => {
    const { code, stdout } = await run({ stories: [{ id: 'US-001' }], steps: [implement('US-001'), approve] });
    expect(code, stdout).toBe(0);
    expect(await runs()).toBe(1 + 1);
    expect(stdout).toContain('not run again: same files');
    expect((await project.ralph(['stories', 'show', 'US-001'])).stdout).toContain('checked in a clean room');
  });

  test('N stories cost N + 1', async () => {
    const ids = ['US-001', 'US-002', 'US-003'];
    const { code, stdout } = await run({
      stories: ids.map((id) => ({ id })),
      steps: [...ids.map(implement), approve],
    });
    expect(code, stdout).toBe(0);
    expect(await runs()).toBe(ids.length + 1);
  });

  test('the next run begins with what is known of the tree that the last one ended on', async () => {
    await run({ stories: [{ id: 'US-001' }, { id: 'US-002' }], steps: [implement('US-001'), approve] }, ['--once']);
    expect(await runs()).toBe(2);
    const { code, stdout } = await project.run(['--once']);
    expect(code, stdout).toBe(1);
    expect(await runs()).toBe(2);
  });

  test('before a tree that a person made the checks run beside the first agent', async () => {
    await run({ stories: [{ id: 'US-001' }, { id: 'US-002' }], steps: [implement('US-001'), approve] }, ['--once']);
    await project.write('theirs.txt', 'x\n');
    await project.git('add', 'theirs.txt');
    await project.git('commit', '-q', '-m', 'mine');
    await project.write('check.sh', 'sleep 3; test ! -e broken.txt\n');
    await project.git('commit', '-qam', 'slow');
    const { stdout } = await project.run(['--once']);
    const types = (await eventsOf(project)).map(({ type }) => type);
    expect(types.indexOf('baseline'), stdout).toBeGreaterThan(types.indexOf('agent-start'));
    expect(await runs()).toBe(3);
  });

  test('an agent that ends first does not end the checks beside it', async () => {
    await run({ stories: [{ id: 'US-001' }, { id: 'US-002' }], steps: [implement('US-001'), approve] }, ['--once']);
    await project.write('check.sh', 'sleep 2; test ! -e broken.txt\n');
    await project.git('commit', '-qam', 'slow');
    const { stdout } = await project.run(['--once']);
    const events = await eventsOf(project);
    const baseline = events.find(({ type }) => type === 'baseline');
    expect(baseline, stdout).toMatchObject({ checks: [{ ok: true, exitCode: 0 }] });
    expect(stdout).not.toContain('own record');
  });

  test('a run in which no check ever passed says so at its start and at its end', async () => {
    const options = { stories: [{ id: 'US-001' }], steps: [implement('US-001'), approve], verifyCommands: ['no-such'] };
    const { code, stdout } = await run(options, ['--once']);
    expect(code, stdout).toBe(1);
    expect(stdout).toContain('NO CHECK PASSES');
    expect(stdout).toMatch(/Needs you: 1\n {2}1 check failed before the run and never passed: no-such\n/);
  });

  test('checks run at the same time where the settings say so', async () => {
    // Each waits for the other: one after the other neither would end.
    const meets = (own: string, other: string) =>
      `touch "$HOME/${own}"; n=0; until test -e "$HOME/${other}"; do n=$((n+1)); test $n -lt 600 || exit 1; sleep 0.1; done`;
    const { code, stdout } = await run({
      stories: [{ id: 'US-001' }],
      steps: [implement('US-001'), approve],
      verifyCommands: [meets('a', 'b'), meets('b', 'a')],
      files: { ...FILES, ...settings({ parallel: true }) },
    });
    expect(code, stdout).toBe(0);
    expect((await ledgerOf(project))[0]).toMatchObject({ checks: [{ ok: true }, { ok: true }] });
  });

  test('a red check is run again where the settings say so, and shown as flaky', async () => {
    const flaky = 'echo run >>"$HOME/runs" && test $(wc -l <"$HOME/runs") -ne 2';
    const { code, stdout } = await run({
      stories: [{ id: 'US-001' }],
      steps: [implement('US-001'), approve],
      verifyCommands: [flaky],
      files: { ...FILES, ...settings({ retries: 1 }) },
    });
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('flaky: failed, then passed');
    expect(await runs()).toBe(3);
  });
});

/** A shell line that makes a program which succeeds at everything. */
function link(folder: string, name: string): string {
  return `mkdir -p ${folder} && printf '#!/bin/sh\\nexit 0\\n' >${folder}/${name} && chmod +x ${folder}/${name}`;
}

describe('nothing in the work tree but its tree decides', () => {
  /** What an agent leaves where git does not look, to make a check green that is red. */
  const forged = [
    ['a runner', 'test-runner', 'sh test-runner', 'printf true >test-runner'],
    ['a program of a dependency', 'node_modules', 'npx --no-install tested', link('node_modules/.bin', 'tested')],
    [
      'a shell for scripts',
      '.npmrc',
      'npm test',
      `${link('.', 'sh-for-all')} && echo "script-shell=$PWD/sh-for-all" >.npmrc`,
    ],
    [
      'a module that Python loads',
      '.venv',
      'PYTHONPATH=.venv python3 -c "exit(1)"',
      'mkdir -p .venv && echo "import os; os._exit(0)" >.venv/usercustomize.py',
    ],
  ] as const;

  test.each(forged)('%s that git ignores makes no check green', async (_, ignored, check, deed) => {
    const { stdout } = await run(
      {
        stories: [{ id: 'US-001' }],
        verifyCommands: [check],
        files: {
          ...FILES,
          '.gitignore': `${ignored}\n`,
          'package.json': '{ "scripts": { "test": "sh check.sh && false" } }\n',
        },
        steps: [{ do: [shell(deed), write('broken.txt', 'x\n'), READY] }],
      },
      ['--once'],
    );
    expect(await ledgerOf(project), stdout).toMatchObject([{ checks: [{ ok: false }] }]);
  });

  test('a program in a folder of the work tree that is on the PATH is no check', async () => {
    project = await makeProject({
      files: { ...FILES, '.gitignore': 'bin/\n' },
      verifyCommands: ['tested'],
      stories: [{ id: 'US-001' }],
      steps: [{ do: [write('bin/tested', '#!/bin/sh\n'), shell('chmod +x bin/tested'), READY] }],
    });
    const { stdout } = await project.run(['--once'], { PATH: `${project.root}/bin:${process.env['PATH']}` });
    expect(await ledgerOf(project), stdout).toMatchObject([{ checks: [{ ok: false, exitCode: 127 }] }]);
  });

  test('a process that changes files during the check makes no check green', async () => {
    project = await makeProject({
      files: FILES,
      verifyCommands: ['touch "$HOME/checking-$(test -e broken.txt && echo broken)"; sleep 1; sh check.sh'],
      stories: [{ id: 'US-001' }],
      steps: [{ do: [write('broken.txt', 'x\n'), READY] }],
    });
    const { ended } = project.start(['run', '--once', '--scenario', project.scenario]);
    // Of a process that no sweep of the loop's finds, played by the test.
    await until(async () => (await readdir(project.outside)).includes('checking-broken'));
    await rm(`${project.root}/broken.txt`);
    const { stdout } = await ended;
    expect(await ledgerOf(project), stdout).toMatchObject([{ checks: [{ ok: false }] }]);
  });

  test('what checks of rejected work left in ignored files is gone before the next check', async () => {
    const check =
      'if test -e cache/green; then exit 0; fi; mkdir -p cache; test ! -e poison || touch cache/green; sh check.sh';
    await run(
      {
        stories: [{ id: 'US-001' }],
        verifyCommands: [check],
        files: { ...FILES, '.gitignore': 'cache/\n' },
        steps: [
          { when: { iteration: 1 }, do: [write('poison', 'x\n'), write('broken.txt', 'x\n'), READY] },
          { when: { iteration: 2 }, do: [write('broken.txt', 'x\n'), READY] },
        ],
      },
      ['--max-iterations', '2'],
    );
    expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(['rejected', 'rejected']);
  });
});

describe('where the clean room cannot be used', () => {
  test('checks run in the work tree, and everything says so', async () => {
    project = await makeProject({
      files: { ...FILES, '.gitignore': 'local.env\n' },
      verifyCommands: ['test -e local.env && sh check.sh'],
      stories: [{ id: 'US-001' }],
      steps: [implement('US-001'), approve],
    });
    await project.write('local.env', 'x\n');
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect(stdout).toContain("CHECKED IN THE AGENT'S TREE");
    expect((await project.ralph(['stories', 'show', 'US-001'])).stdout).toContain("checked in the agent's tree");
  });

  test('because nothing can be written where it would be, doctor and the run say so before the first agent', async () => {
    project = await makeProject({
      files: FILES,
      verifyCommands: ['sh check.sh'],
      stories: [{ id: 'US-001' }],
      steps: [implement('US-001'), approve],
    });
    const nowhere = { XDG_CACHE_HOME: `${project.scenario}/cache` };
    const doctor = await project.ralph(['doctor', '--agent', 'scripted'], nowhere);
    expect(doctor.stdout).toMatch(/! clean room .*: checks run in the agent's tree\n +fix: set XDG_CACHE_HOME/);
    const { code, stdout } = await project.run([], nowhere);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/CHECKED IN THE AGENT'S TREE: .*XDG_CACHE_HOME.*\[1\//s);
  });

  test('a file that `checks.copy` names is there, as it was when the run began', async () => {
    project = await makeProject({
      files: { ...FILES, '.gitignore': 'local.env\n', ...settings({ copy: ['local.env'] }) },
      verifyCommands: ['grep -q mine local.env && sh check.sh'],
      stories: [{ id: 'US-001' }],
      steps: [{ when: { mode: 'implement' }, do: [shell('rm local.env'), write('a.txt', 'x\n'), READY] }, approve],
    });
    await project.write('local.env', 'mine\n');
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain("CHECKED IN THE AGENT'S TREE");
    expect((await eventsOf(project)).filter(({ type }) => type === 'check').length).toBeGreaterThan(0);
  });
});

test('nothing is copied or installed through a link that an agent put in the place of a folder', async () => {
  const moveAway = 'rm -r conf lib && ln -s "$HOME" conf && ln -s "$HOME" lib';
  await run(
    {
      files: {
        ...FILES,
        '.gitignore': '*.env\nmade/\n',
        'conf/a.txt': 'a\n',
        'lib/a.txt': 'a\n',
        ...settings({ copy: ['conf/local.env'], setup: ['mkdir lib/made && echo made >lib/made/keys'] }),
        'conf/local.env': 'x\n',
      },
      stories: [{ id: 'US-001' }],
      steps: [
        // Red: the room is set up again for the next.
        { when: { attempt: 1 }, do: [write('broken.txt', 'x\n'), READY] },
        { do: [shell(moveAway), write('a.txt', 'x\n'), READY] },
      ],
    },
    ['-n', '2'],
  );
  expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(['rejected', 'accepted']);
  const written = ['local.env', 'made'];
  expect((await readdir(project.outside)).filter((name) => written.includes(name))).toEqual([]);
});

/** A project whose check needs a package; the package lies in the tree, so that no network is needed. */
async function packageProject(options: ProjectOptions): Promise<void> {
  project = await makeProject({
    ...options,
    files: {
      ...FILES,
      '.gitignore': 'node_modules\n',
      'rates/package.json': '{ "name": "rates", "version": "1.0.0", "main": "index.js" }\n',
      'rates/index.js': 'module.exports = 10;\n',
      'package.json': '{ "private": true, "dependencies": { "rates": "file:rates" } }\n',
      '.npmrc': 'install-links=true\n',
      ...options.files,
    },
    verifyCommands: ['node -e "process.exit(require(\'rates\') === 10 ? 0 : 1)" && sh check.sh'],
  });
  const npm = promisify(execFile);
  await npm('npm', ['install', '--package-lock-only', '--offline', '--no-audit'], { cwd: project.root });
  await project.git('add', 'package-lock.json');
  await project.git('commit', '-q', '-m', 'lock');
}

const backends = [['none', null] as const, ['bwrap', await needs('bwrap')] as const];

describe.each(backends)('a project that has to be installed, in the isolation %s', (backend, missing) => {
  const args = backend === 'none' ? [] : [`--sandbox=${backend}`];
  const again = backend === 'none' ? {} : { tags: ['long'] };

  test.skipIf(missing)(
    'is installed by its lock file, once, and its agent cannot change what is installed',
    async () => {
      await packageProject({
        stories: [{ id: 'US-001' }],
        steps: [
          {
            when: { mode: 'implement' },
            do: [
              shell('mkdir -p node_modules/rates && echo "module.exports = 11;" >node_modules/rates/index.js'),
              write('US-001.txt', 'work\n'),
              READY,
            ],
          },
          approve,
        ],
      });
      const { code, stdout } = await project.run(args);
      expect(code, stdout).toBe(0);
      expect(stdout.match(/Setting up the clean room: npm ci/g)).toHaveLength(1);
      expect(stdout).toContain('not run again: same files');
      expect(stdout).not.toContain("CHECKED IN THE AGENT'S TREE");
    },
  );

  test.skipIf(missing)('is installed once for all lanes, whose agents find it there', again, async () => {
    const ids = ['US-001', 'US-002'];
    await packageProject({
      stories: ids.map((id) => ({ id })),
      steps: [
        ...ids.map((id) => ({
          when: { story: id, mode: 'implement' },
          do: [shell('test "$(node -p "require(\'rates\')")" = 10'), write(`${id}.txt`, 'work\n'), READY],
        })),
        approve,
      ],
    });
    const { code, stdout } = await project.run(['--parallel', '2', ...args]);
    expect(code, stdout).toBe(0);
    expect(stdout.match(/Setting up the clean room: npm ci/g)).toHaveLength(1);
    expect(stdout).toContain('US-001 landed');
  });

  test.skipIf(missing)(
    'is installed again where the agent changed the lock file, and a failure is its own',
    again,
    async () => {
      await packageProject({
        stories: [{ id: 'US-001' }],
        steps: [
          { when: { iteration: 1 }, do: [shell('echo broken >package-lock.json'), write('a.txt', 'x\n'), READY] },
          { when: { iteration: 2 }, do: [write('a.txt', 'x\n'), READY] },
        ],
      });
      const { stdout } = await project.run(['--max-iterations', '2', ...args]);
      expect(
        (await ledgerOf(project)).map(({ verdict }) => verdict),
        stdout,
      ).toEqual(['rejected', 'accepted']);
      expect(stdout).toContain('not run: `npm ci --no-audit --no-fund` failed');
      // What was installed for the first tree is taken again.
      expect(stdout.match(/Setting up the clean room/g)).toHaveLength(2);
    },
  );
});

test.skipIf(await needs('python'))('pip installs once for all lanes, and for a merge', { tags: ['long'] }, async () => {
  const ids = ['US-001', 'US-002'];
  const check = 'python3 -c "import rates; assert rates.TEN == 10"';
  project = await makeProject({
    verifyCommands: [`${check} && sh check.sh`],
    files: { ...FILES, '.gitignore': '.venv\n__pycache__\n', 'requirements.txt': './rates-1.0-py3-none-any.whl\n' },
    stories: ids.map((id) => ({ id })),
    steps: [
      ...ids.map((id) => ({
        when: { story: id, mode: 'implement' },
        do: [shell(`.venv/bin/${check}`), write(`${id}.txt`, 'work\n'), READY],
      })),
      approve,
    ],
  });
  // A package in the tree, so that no network is needed.
  const wheel = `import zipfile
with zipfile.ZipFile("rates-1.0-py3-none-any.whl", "w") as all:
    all.writestr("rates.py", "TEN = 10\\n")
    all.writestr("rates-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: rates\\nVersion: 1.0\\n")
    all.writestr("rates-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    all.writestr("rates-1.0.dist-info/RECORD", "")
`;
  await promisify(execFile)('python3', ['-c', wheel], { cwd: project.root });
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', 'rates');
  const { code, stdout } = await project.run(['--parallel', '2']);
  expect(code, stdout).toBe(0);
  expect(stdout.match(/Setting up the clean room: /g)).toHaveLength(1);
  expect(stdout).not.toContain("CHECKED IN THE AGENT'S TREE");
  await project.git('switch', '-q', 'main');
  const merged = await project.ralph(['stream', 'merge', '--as-is']);
  expect(merged.code, merged.stderr).toBe(0);
  expect(merged.stdout).toContain('(known: the same tree was checked before)');
});
