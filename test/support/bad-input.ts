import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { afterEach, expect } from 'vitest';
import { plainText } from './plain-text.ts';
import { easySteps, makeProject, type Project, type ProjectOptions } from './project.ts';

/*
 * Every file that ralph reads, in every bad condition: exit 2, a message with file, line and fix, no stack trace, and
 * the bad file is still there byte for byte, in its place or kept aside.
 */

export const BINARY = Uint8Array.from({ length: 300 }, (_, n) => (n * 7) % 256);
export const GOOD: ProjectOptions = {
  stories: [{ id: 'US-001' }, { id: 'US-002' }],
  steps: [...easySteps('US-001'), ...easySteps('US-002')],
};
export const BOM = '\uFEFF';

export let project: Project;
afterEach(() => project?.remove());

/** The project of this test. */
export async function open(options: ProjectOptions): Promise<void> {
  project = await makeProject(options);
}

/** Puts each content into the file in turn and starts a run; all messages, each under the name of its content. */
export async function refusals(path: string, contents: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const file = resolve(project.root, path);
  const good = await readFile(file).catch(() => null);
  const messages: string[] = [];
  for (const [name, content] of Object.entries(contents)) {
    await writeFile(file, content);
    const { code, stdout, stderr } = await project.run();
    expect({ code, stdout }, `${name}: ${stderr}`).toEqual({ code: 2, stdout: '' });
    expect(stderr, name).not.toMatch(/\n\s+at |\bbug\b/);
    await expectKept(file, content);
    await rm(file, { force: true });
    if (good) await writeFile(file, good);
    messages.push(`# ${name}\n${plainText(project, stderr)}`);
  }
  return messages.join('\n');
}

async function expectKept(file: string, content: string | Uint8Array): Promise<void> {
  const names = (await readdir(dirname(file))).filter((name) => name.startsWith(basename(file)));
  const found = await Promise.all(names.map((name) => readFile(resolve(dirname(file), name))));
  expect(found.some((bytes) => bytes.equals(Buffer.from(content)))).toBe(true);
}

export const tasks = (stories: unknown, more: object = {}): string =>
  `${JSON.stringify({ branchName: 'ralph/test', verifyCommands: [], ...more, userStories: stories }, null, 2)}\n`;
export const story = (id: string, more: object = {}): object => ({
  id,
  title: `story ${id}`,
  acceptanceCriteria: ['it works'],
  passes: false,
  ...more,
});
