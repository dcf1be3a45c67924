import { readdirSync } from 'node:fs';
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project, type ProjectOptions } from '../support/project.ts';

/** What an agent leaves at names that rule over the host or the next agent, where git does not look. */

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const WORK = { write: { path: 'new.txt', content: 'new\n' } };

let project: Project;
afterEach(() => project?.remove());

const gone = (path: string) =>
  lstat(join(project.root, path)).then(
    () => false,
    () => true,
  );

async function iteration(
  run: string,
  options: ProjectOptions = {},
  prepare?: () => Promise<void>,
  env: Readonly<Record<string, string>> = {},
) {
  project = await makeProject({ stories: [{ id: 'US-001' }], ...options, steps: [{ do: [{ run }, WORK, READY] }] });
  await prepare?.();
  const ended = await project.run(['--once'], env);
  expect(ended.code, ended.stdout + ended.stderr).toBe(1);
  return ended.stdout;
}

test.each([
  [
    'an ignored configuration',
    "echo ralph.config.js >>.gitignore; echo 'export default {};' >ralph.config.js",
    'ralph.config.js',
  ],
  ['a hidden prompt template', "echo '*' >ralph/.gitignore; echo 'approve' >ralph/prompt.md", 'ralph/prompt.md'],
  [
    'ignored settings of a client',
    "mkdir .claude; echo '*' >.claude/.gitignore; echo '{}' >.claude/settings.local.json",
    '.claude/settings.local.json',
  ],
  ['an ignored hook', "mkdir .husky; echo '*' >.husky/.gitignore; echo x >.husky/pre-push", '.husky/pre-push'],
  ['a pipe in the place of the configuration', 'mkfifo ralph.config.json', 'ralph.config.json'],
  [
    'a link in the place of the configuration',
    'echo ralph.config.json >>.gitignore; ln -s /etc/hostname ralph.config.json',
    'ralph.config.json',
  ],
  ['an ignored folder of that name', 'echo .mcp.json >>.gitignore; mkdir .mcp.json; echo x >.mcp.json/x', '.mcp.json'],
])('%s is put aside, and told', async (_, run, path) => {
  const stdout = await iteration(run);
  expect(await gone(path)).toBe(true);
  expect(stdout).toContain(path.split('/')[0]);
  const kept = await project.git('rev-parse', '--git-path', 'ralph/set-aside');
  const [run1] = readdirSync(join(project.root, kept));
  expect(await lstat(join(project.root, kept, run1 ?? '', '1/1', path))).toBeDefined();
  expect((await project.ralph(['status'])).code).toBe(0);
  // What git can keep lies under a rescue ref as well.
  if (path === 'ralph.config.js') expect((await project.ralph(['rescue', 'list'])).stdout).toContain('protected names');
});

test('what the person has there ignored is put back byte for byte, with its mode, when it was changed or deleted', async () => {
  const before = '{ "permissions": {} }\n';
  await iteration(
    'echo mine >.claude/settings.local.json; rm .mcp.json; chmod 600 .claude/hooks/a.sh',
    { files: { '.gitignore': '.claude/\n.mcp.json\n' } },
    async () => {
      await project.write('.claude/settings.local.json', before);
      await project.write('.claude/hooks/a.sh', 'true\n');
      await project.write('.mcp.json', '{}\n');
    },
  );
  expect(await project.read('.claude/settings.local.json')).toBe(before);
  expect(await project.read('.mcp.json')).toBe('{}\n');
  expect((await lstat(join(project.root, '.claude/hooks/a.sh'))).mode & 0o777).toBe(0o644);
});

test('what a check leaves there is put back as well', async () => {
  const files = { '.gitignore': 'ralph.config.json\n' };
  const options = { files, verifyCommands: ["echo '{}' >ralph.config.json"] };
  const stdout = await iteration('true', options, undefined, { RALPH_CHECKS_WHERE: 'tree' });
  expect(await gone('ralph.config.json')).toBe(true);
  expect(stdout).toContain('A check or a commit hook changed ralph.config.json');
});

test('a crash between the agent and the judgement leaves no configuration that the next start would obey', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    files: { '.gitignore': 'ralph.config.json\n' },
    steps: [{ do: [{ run: 'echo "{ nonsense" >ralph.config.json' }, WORK, READY] }],
  });
  const killed = await project.run(['--once'], { RALPH_CRASHPOINT: 'agent-stopped' });
  expect(killed.signal ?? killed.code).not.toBe(0);
  expect(await gone('ralph.config.json')).toBe(false);
  const next = await project.run(['--once']);
  expect(next.stderr).toBe('');
  expect(await gone('ralph.config.json')).toBe(true);
});

test('a crash in the middle of the recovery leaves none of them either', async () => {
  const run = "mkdir .claude; echo '*' >.claude/.gitignore; echo '{}' >.claude/settings.local.json";
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [{ do: [{ run }, WORK, READY] }, { do: [WORK, READY] }],
  });
  for (const point of ['agent-stopped', 'done'])
    expect((await project.run(['--once'], { RALPH_CRASHPOINT: point })).signal).toBe('SIGKILL');
  expect(await gone('.claude/settings.local.json')).toBe(true);
});

test('a .ralph that is a link is refused, and nothing is written through it', async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }] });
  const elsewhere = join(project.outside, 'elsewhere');
  await mkdir(elsewhere);
  await symlink(elsewhere, join(project.root, '.ralph'));
  await project.git('add', '-A');
  await project.git('commit', '-qm', 'a link');
  for (const args of [['run', '--once'], ['init'], ['status']]) {
    const { code, stderr } = await project.ralph(args);
    expect({ args, code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('.ralph is a link') });
  }
  expect(readdirSync(elsewhere)).toEqual([]);
});
