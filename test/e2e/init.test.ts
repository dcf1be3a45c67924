import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';

let project: Project;
beforeEach(async () => {
  project = await makeProject({
    files: { 'package.json': '{"scripts":{"test":"vitest","lint":"biome check"}}', 'pnpm-lock.yaml': '' },
    backlog: { path: 'notes/todo.txt', text: 'nothing yet\n' },
  });
  await project.git('rm', '-q', '-r', 'ralph');
});
afterEach(() => project.remove());

test('init finds the checks of the project, says so, and a second one changes nothing', {
  tags: ['promise'],
}, async () => {
  const first = await project.ralph(['init']);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('pnpm run lint\n  pnpm test --run\n');
  expect(first.stdout).toMatch(/ralph plan.*ralph import/);
  const tasks = await project.read('ralph/tasks.json');
  expect(JSON.parse(tasks)).toMatchObject({ verifyCommands: ['pnpm run lint', 'pnpm test --run'], userStories: [] });
  expect((await project.ralph(['init'])).stdout).toContain('kept     ralph/tasks.json (already there)');
  expect(await project.read('ralph/tasks.json')).toBe(tasks);
  expect((await project.ralph(['validate'])).code).toBe(0);
});

test('--force replaces, and keeps what was there beside it', async () => {
  await project.ralph(['init']);
  await project.write('ralph/prd.md', 'mine\n');
  const { code, stdout } = await project.ralph(['init', '--force', '--json']);
  expect(code).toBe(0);
  const backup = (JSON.parse(stdout) as { backups: string[] }).backups.find((path) => path.includes('prd.md')) ?? '';
  expect(await project.read(backup)).toBe('mine\n');
});
