// @module-tag long
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { easySteps, environmentIn, makeProject, type Project, RALPH } from '../support/project.ts';

/** A run whose output goes into its own work tree. */

let project: Project;
afterEach(() => project.remove());

const BAD_THEN_GOOD = [
  {
    when: { mode: 'implement', attempt: 1 },
    do: [{ write: { path: 'bad.txt', content: 'x' } }, { crash: { exit: 3 } }],
  },
  ...easySteps('US-001'),
];

async function makeLogged(verifyCommands = ['true'], steps: readonly object[] = BAD_THEN_GOOD): Promise<void> {
  project = await makeProject({ stories: [{ id: 'US-001' }], verifyCommands, steps: steps as never });
}

/** Types a line into a shell, with `ralph` as the run of the scripted agent. */
async function type(line: string): Promise<number | null> {
  const ralph = `ralph() { ${JSON.stringify(process.execPath)} ${JSON.stringify(RALPH)} run --scenario "$SCENARIO" "$@"; }`;
  const child = spawn('sh', ['-c', `${ralph}\n${line}`], {
    cwd: project.root,
    env: environmentIn(project.outside, { SCENARIO: project.scenario }),
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

const everCommitted = () => project.git('log', '--all', '--format=', '--name-only');

test.each([
  ['> run.log 2>&1', 'run.log'],
  ['>> nohup.out', 'nohup.out'],
  ['> logs/run.log', 'logs/run.log'],
  ['--json > ralph/events.jsonl', 'ralph/events.jsonl'],
])('ralph run %s: the log is whole, and in no commit and no rescue', async (redirection, file) => {
  await makeLogged();
  await project.write(file, '');
  const { ino } = statSync(`${project.root}/${file}`);
  expect(await type(`ralph ${redirection}`)).toBe(0);
  const text = await project.read(file);
  expect(text).toMatch(/run-start|^[\d:]{8} +note +Created branch/);
  expect(text).toMatch(/run-end|stories? done|complete/i);
  expect(text).not.toContain('\0');
  expect(statSync(`${project.root}/${file}`).ino).toBe(ino);
  expect(await everCommitted()).not.toContain(file);
  expect((await project.stories())[0]).toMatchObject({ passes: true });
});

test.skipIf(process.platform !== 'linux').each([
  ['ralph 2>&1 | tee run.log >tee.out', ['run.log', 'tee.out']],
  ['ralph | cat | tee -a run.log', ['run.log']],
])('%s: the logs are whole, and in no commit', async (line, files) => {
  await makeLogged();
  await type(line);
  // An earlier log is there by now, and known to the snapshots of a run that printed elsewhere.
  await project.run(['--max-iterations', '1']);
  await project.write('more.txt', '');
  await type(line);
  for (const file of files) expect(await project.read(file)).toMatch(/complete/i);
  expect(await everCommitted()).not.toMatch(/run\.log|tee\.out/);
});

test('where git tracks the file, the run says what that means', async () => {
  await makeLogged();
  await project.write('run.log', '');
  await project.git('add', 'run.log');
  await project.git('commit', '-q', '-m', 'log');
  await type('ralph --dirty=keep 2>err.txt >> run.log');
  const { stdout } = await project.ralph(['report', '--format', 'json']);
  expect(stdout).toContain('The output of this run goes into run.log, which git tracks');
});

test('what somebody writes while checks run is kept before it is undone', async () => {
  await makeLogged(
    ['[ -e src/US-001.txt ] || exit 0; echo more >> notes.txt; echo new > mine.txt; echo report > report.txt'],
    easySteps('US-001'),
  );
  await project.write('notes.txt', 'mine\n');
  const ended = await project.run([], { RALPH_CHECKS_WHERE: 'tree' });
  expect(ended.code).toBe(0);
  expect(await project.read('notes.txt')).toBe('mine\n');
  expect(ended.stdout).toContain('Changed while the checks ran');
  const rescues = JSON.parse((await project.ralph(['rescue', 'list', '--json'])).stdout) as { name: string }[];
  expect(rescues.length).toBeGreaterThan(0);
  const name = rescues.at(-1)?.name ?? '';
  expect((await project.ralph(['rescue', 'restore', name, 'mine.txt'])).code).toBe(0);
  expect(await project.read('mine.txt')).toBe('new\n');
});
