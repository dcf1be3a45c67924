import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findOldBacklogs, findOldHooks, readOldLayout } from './old-layout.ts';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function tree(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'ralph-layout-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

/** What goes with the surest backlog of a folder. */
async function layoutIn(path: string) {
  const [backlog] = await findOldBacklogs(path);
  if (backlog === undefined) throw new Error('no backlog');
  return { ...(await readOldLayout(backlog)), backlog: backlog.path };
}

describe('an older layout', () => {
  it('is found in scripts/ralph', async () => {
    const root = await tree({
      'scripts/ralph/prd.json': '{}',
      'scripts/ralph/CLAUDE.md': 'prompt',
      'scripts/ralph/progress.txt': 'log',
      'scripts/ralph/prompt.md': 'prompt',
      'scripts/ralph/ralph.sh': 'loop',
      'CLAUDE.md': 'memory of the project',
    });
    const layout = await layoutIn(join(root, 'scripts/ralph'));
    expect(layout.backlog).toBe('scripts/ralph/prd.json');
    expect(layout.files.prompt.map(({ path }) => path)).toEqual(['scripts/ralph/prompt.md', 'scripts/ralph/CLAUDE.md']);
    expect(layout.left).toEqual(['scripts/ralph/ralph.sh']);
  });

  it('is found in .agents/ralph, with the folders that go with it', async () => {
    const root = await tree({
      '.agents/ralph/config.sh': 'MAX_ITERATIONS=4',
      '.agents/tasks/prd-login.json': '{}',
      '.ralph/progress.md': 'log',
      '.ralph/guardrails.md': 'signs',
    });
    const { backlog, files } = await layoutIn(join(root, '.agents/ralph'));
    expect(backlog).toBe('.agents/tasks/prd-login.json');
    expect(files.progress[0]?.path).toBe('.ralph/progress.md');
    expect(files.patterns[0]?.text).toBe('signs');
    expect(files.settings[0]?.path).toBe('.agents/ralph/config.sh');
  });

  it('is found in .ralph, whose settings are at the root', async () => {
    const root = await tree({
      '.ralph/fix_plan.md': '- [ ] a',
      '.ralph/PROMPT.md': 'prompt',
      '.ralph/AGENT.md': 'how to build',
      '.ralph/specs/login.md': 'spec',
      '.ralphrc': 'MAX_CALLS_PER_HOUR=3',
      'config.json': '{"maxIterations": 3}',
    });
    const { backlog, files, specs } = await layoutIn(join(root, '.ralph'));
    expect(backlog).toBe('.ralph/fix_plan.md');
    expect(files.settings.map(({ path }) => path)).toEqual(['.ralphrc']);
    expect(specs.map(({ path }) => path)).toEqual(['.ralph/specs/login.md']);
  });

  it.each([
    ['.chief', '.chief/prds/a/prd.json', '.chief/prds/b/prd.json'],
    ['.taskmaster', '.taskmaster/tasks/tasks.json'],
    ['.taskmaster/tasks', '.taskmaster/tasks/tasks.json'],
    ['specs', 'specs/001-login/tasks.md'],
    ['specs/001-login', 'specs/001-login/tasks.md'],
    ['.specify', 'specs/001-login/tasks.md'],
    ['.kiro', '.kiro/specs/login/tasks.md'],
    ['.kiro/specs', '.kiro/specs/login/tasks.md'],
    ['openspec', 'openspec/changes/login/tasks.md'],
    ['openspec/changes/login', 'openspec/changes/login/tasks.md'],
    ['.beads', '.beads/issues.jsonl'],
    ['docs', 'docs/TODO.md'],
  ])('in %s has its stories where the tool keeps them', async (folder, ...paths) => {
    const root = await tree({
      ...Object.fromEntries(paths.map((path) => [path, '- [ ] a'])),
      'specs/001-login/plan.md': '- [ ] a gate',
      '.specify/memory.md': '',
      'TODO.md': '- [ ] something else',
    });
    const found = await findOldBacklogs(join(root, folder));
    expect(found.map(({ base, path }) => join(base, path))).toEqual(paths.map((path) => join(root, path)));
  });

  it('is found from the root of a project that keeps no stories there', async () => {
    const root = await tree({ '.kiro/specs/login/tasks.md': '- [ ] a', '.taskmaster/tasks/tasks.json': '{}' });
    const found = await findOldBacklogs(root);
    expect(found.map(({ path }) => path).sort()).toEqual([
      '.kiro/specs/login/tasks.md',
      '.taskmaster/tasks/tasks.json',
    ]);
  });

  it('has the settings of all and the documents of the one that was chosen', async () => {
    const root = await tree({
      '.chief/config.yaml': 'agent: {}',
      '.chief/prds/a/prd.json': '{}',
      '.chief/prds/a/prd.md': 'of a',
      '.chief/prds/b/prd.json': '{}',
      '.chief/prds/b/prd.md': 'of b',
    });
    const { files } = await layoutIn(join(root, '.chief/prds/b'));
    expect(files.prd.map(({ text }) => text)).toEqual(['of b']);
    expect(files.settings.map(({ path }) => path)).toEqual(['.chief/config.yaml']);
  });

  it('is not followed out of its project', async () => {
    const root = await tree({ 'scripts/ralph/prd.json': '{}' });
    await symlink('/etc/hostname', join(root, 'scripts/ralph/progress.txt'));
    expect((await layoutIn(join(root, 'scripts/ralph'))).files.progress).toEqual([]);
  });
});

describe('hooks of another loop', () => {
  it('are named with file and line, and no others', async () => {
    const settings = {
      hooks: {
        Stop: [{ hooks: [{ type: 'command', command: '/projects/app/.agents/ralph/hooks/on-stop.sh' }] }],
        PreToolUse: [{ hooks: [{ type: 'command', command: 'node mine.js' }] }],
      },
    };
    const root = await tree({ '.claude/settings.json': JSON.stringify(settings, null, 2) });
    expect(await findOldHooks(root)).toEqual([
      {
        file: '.claude/settings.json',
        line: 8,
        event: 'Stop',
        command: '/projects/app/.agents/ralph/hooks/on-stop.sh',
      },
    ]);
  });
});
