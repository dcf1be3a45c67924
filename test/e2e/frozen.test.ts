import { execFileSync, spawnSync } from 'node:child_process';
import { cp, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project, type ProjectOptions } from '../support/project.ts';

/** What steers a run is read before its first agent, and never looked up again in a tree that an agent can write. */

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const APPROVED = { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } };
const MARK = (name: string) =>
  `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.HOME + '/${name}', '');`;

/** Plants a file that git does not see, then does its work. */
const planting = (file: string, text: string) => [
  {
    when: { mode: 'implement' },
    do: [
      { run: { command: `echo ${file} >>.gitignore`, expect: 'ok' } },
      { write: { path: file, content: text } },
      { write: { path: 'new.txt', content: 'new\n' } },
      READY,
    ],
  },
  { when: { mode: 'review' }, do: [APPROVED] },
];

let project: Project;
afterEach(() => project?.remove());

const make = async (files: Readonly<Record<string, string>>, more: ProjectOptions = {}) => {
  project = await makeProject({ stories: [{ id: 'US-001' }], files, ...more });
};
const person = { RALPH_TRUST: '' };
const ran = (name = 'ran') =>
  readFile(join(project.outside, name)).then(
    () => true,
    () => false,
  );

test.each([
  ['js', `${MARK('ran')} export default { skipReview: true };\n`],
  ['json', '{ "skipReview": true }\n'],
])(
  'a lane goes by what the run began with: a configuration as %s that an agent hid there does not count',
  async (kind, text) => {
    await make({}, { steps: planting(`ralph.config.${kind}`, text) });
    const { code, stdout } = await project.run(['--parallel', '2']);
    expect(await ran()).toBe(false);
    expect(stdout).toContain('review');
    expect({ code, stdout }).toMatchObject({ code: 0 });
  },
);

test('a configuration that an agent hid runs at no command that a person types next', async () => {
  await make({}, { steps: planting('ralph.config.js', `${MARK('ran')} export default {};\n`) });
  await project.run([]);
  for (const args of [[], ['status'], ['doctor'], ['run', '--once']]) await project.ralph(args, person);
  expect(await ran()).toBe(false);
});

test('what `createRequire` finds is held to what was trusted, too', async () => {
  await make({
    'package.json': '{ "type": "module" }\n',
    'ralph.config.js':
      "import { createRequire } from 'node:module'; const load = createRequire(import.meta.url); load('./hel' + 'per.cjs'); export default {};\n",
    'helper.cjs': "require('node:fs').writeFileSync(process.env.HOME + '/ran', '');\n",
  });
  await project.ralph(['trust', '--yes'], person);
  await project.ralph(['status'], person);
  expect(await ran()).toBe(false);
});

test('ralph that is installed in the project still runs there with a configuration that is code', async () => {
  await make({ 'ralph.config.js': 'export default { maxIterations: 3 };\n', '.gitignore': 'node_modules\n' });
  const home = join(project.root, 'node_modules/@ralph-loop/cli');
  for (const name of ['bin', 'dist', 'package.json', 'templates', 'schemas'])
    await cp(join(import.meta.dirname, '../..', name), join(home, name), { recursive: true });
  await symlink(join(import.meta.dirname, '../../node_modules'), join(home, 'node_modules'));
  const own = [join(home, 'bin/ralph.js'), 'run', '--once', '--scenario', project.scenario];
  const env = { PATH: process.env['PATH'] ?? '', HOME: project.outside, RALPH_TRUST: '1' };
  const ended = spawnSync(process.execPath, own, { cwd: project.root, env, encoding: 'utf8' });
  expect({ code: ended.status, stderr: ended.stderr }).toEqual({ code: 1, stderr: '' });
});

test.each(['ralph.config.json', 'ralph.config.js'])(
  'a FIFO in place of %s is said, and blocks nothing',
  async (file) => {
    await make({});
    execFileSync('mkfifo', [join(project.root, file)]);
    for (const args of [['run', '--once'], ['config']]) {
      const { code, stderr } = await project.ralph(args);
      expect(code).toBe(2);
      expect(stderr).toContain(`${file}`);
      expect(stderr).toContain('not a plain file');
    }
  },
);
