import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { READY, write } from '../support/says.ts';

let project: Project;
afterEach(() => project?.remove());

/** A rejected iteration, then one that is accepted, then the end by the limit. @returns what the run printed */
async function smallRun(): Promise<string> {
  project = await makeProject({
    stories: [{ id: 'US-001' }, { id: 'US-002' }],
    verifyCommands: ['test ! -e broken.txt'],
    steps: [
      { when: { attempt: 1, mode: 'implement' }, do: [write('broken.txt', 'x\n'), READY] },
      { do: [write('src/a.txt', 'a\n'), READY] },
    ],
  });
  const { code, stdout } = await project.run(['2']);
  expect(code, stdout).toBe(1);
  return stdout;
}

async function logOf(): Promise<{ readonly path: string; readonly text: string }> {
  const [run] = JSON.parse((await project.ralph(['report', '--format', 'json'])).stdout).runs;
  const path = `.ralph/runs/${run.run}/events.jsonl`;
  return { path, text: await project.read(path) };
}

test('a replay prints what the run printed, its summary included', { tags: ['promise'] }, async () => {
  const printed = await smallRun();
  const { code, stdout } = await project.ralph(['replay']);
  expect(code).toBe(0);
  expect(stdout).toBe(printed);
});

test('a replay begins at the iteration asked for, and refuses one that was not', async () => {
  await smallRun();
  const { stdout } = await project.ralph(['replay', '--from', '2']);
  expect(stdout).toMatch(/^[\d:]{8} ralph \S+ · run /);
  expect(stdout).toContain('[2/2]');
  expect(stdout).not.toContain('[1/2]');
  expect((await project.ralph(['replay', '--from', '7'])).stderr).toContain('has no iteration 7');
  expect((await project.ralph(['replay', '--speed', 'fast'])).stderr).toContain('--speed');
});

test('a log that was torn, or that holds strange events, is shown as far as it goes', async () => {
  await smallRun();
  const { path, text } = await logOf();
  const lines = text.trimEnd().split('\n');
  const strange = JSON.stringify({ ...JSON.parse(lines[1] ?? '{}'), type: 'from-the-future' });
  const end = lines.findIndex((line) => line.includes('"type":"run-end"'));
  await project.write(path, `${[...lines.slice(0, end), strange].join('\n')}\n${lines[end]?.slice(0, 40)}`);
  const { code, stdout } = await project.ralph(['replay']);
  expect(code).toBe(0);
  expect(stdout).toContain('[2/2]');
  expect(stdout).toContain('the log ends here');
  expect(stdout).toContain('1 event of the log could not be shown');
});

test('without a run there is nothing to replay', async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }] });
  expect(await project.ralph(['replay'])).toMatchObject({ code: 0, stdout: 'no run yet; start one with: ralph run\n' });
});
