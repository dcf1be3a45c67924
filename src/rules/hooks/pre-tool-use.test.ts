import { describe, expect, test } from 'vitest';
import { aContext, aRun, files, toolCall } from '../../../test/support/hook-context.ts';
import { type HookContext, type HookEvent, NEW_SESSION } from './api.ts';
import { decide } from './decide.ts';

/** The rule that denied a call; null when it was let through. */
function ruleOf(event: HookEvent, parts: Partial<HookContext> = {}): string | null {
  const { answer, effects } = decide(event, aContext(parts));
  const denied = effects.flatMap((effect) =>
    effect.kind === 'event' && effect.body.type === 'denied' ? [effect.body] : [],
  );
  expect(denied).toHaveLength(answer.kind === 'deny' ? 1 : 0);
  return denied[0]?.rule ?? null;
}

const write = (path: string, more: object = {}) => toolCall('Write', { file_path: path, content: 'x' }, more);
const read = (path: string) => toolCall('Read', { file_path: path });

describe('read before edit', () => {
  const paths = files({ '/project/a.ts': 'old' });

  test('an existing file that was not read is refused by name, and the way out is named', () => {
    const { answer } = decide(write('/project/a.ts'), aContext({ paths }));
    expect(answer).toMatchObject({ kind: 'deny' });
    expect(answer).toHaveProperty('text', expect.stringMatching(/^a\.ts exists .*Read a\.ts first/));
  });

  test.each(['Edit', 'MultiEdit', 'Write'])('%s is held to it', (tool) => {
    expect(ruleOf(toolCall(tool, { file_path: '/project/a.ts' }), { paths })).toBe('path/unread');
  });

  test('a notebook is held to it', () => {
    const event = toolCall('NotebookEdit', { notebook_path: '/project/a.ts' });
    expect(ruleOf(event, { paths })).toBe('path/unread');
  });

  test('what was read may be changed', () => {
    const session = { ...NEW_SESSION, read: new Set(['/project/a.ts']) };
    expect(ruleOf(write('/project/a.ts'), { paths, session })).toBeNull();
    expect(ruleOf(write('a.ts'), { paths, session })).toBeNull();
    expect(ruleOf(write('/project/sub/../a.ts'), { paths, session })).toBeNull();
  });

  test('a new file needs no reading', () => {
    expect(ruleOf(write('/project/new.ts'), { paths })).toBeNull();
  });
});

describe('other streams', () => {
  const stream = '/tmp/shop/.ralph/worktrees/PRD-1';

  test.each(['/project/.ralph/worktrees/PRD-2/a.ts', '.ralph/worktrees/PRD-2/new/a.ts'])(
    'an agent in the project may not write to %s',
    (path) => expect(ruleOf(write(path))).toBe('path/stream'),
  );

  test.each(['../PRD-2/a.ts', '../../../src/a.ts', '/tmp/shop/.git/worktrees/PRD-2/HEAD'])(
    'an agent of a stream may not write to %s, even where everything is in a temporary folder',
    (path) => expect(ruleOf(write(path, { cwd: stream }), { root: stream })).toBe('path/stream'),
  );

  test('neither may it through a link', () => {
    const paths = files({}, { [`${stream}/link`]: '/tmp/shop/.ralph/worktrees/PRD-2/a.ts' });
    expect(ruleOf(write('link', { cwd: stream }), { root: stream, paths })).toBe('path/stream');
  });

  test('it may write in its own, and read others', () => {
    expect(ruleOf(write('src/new.ts', { cwd: stream }), { root: stream })).toBeNull();
    expect(ruleOf(read('/tmp/shop/.ralph/worktrees/PRD-2/a.ts'), { root: stream })).toBeNull();
  });
});

describe('scope', () => {
  test.each(['/etc/hosts', '/home/u/.bashrc', '/project/../other/x', '/workshop/x', '~/x'])('%s is outside', (path) => {
    expect(ruleOf(write(path))).toBe('path/outside');
  });

  test('a relative path starts where the shell of the agent stands', () => {
    expect(ruleOf(write('../x', { cwd: '/project' }))).toBe('path/outside');
    expect(ruleOf(write('../x', { cwd: '/project/sub' }))).toBeNull();
  });

  test('a link that leads out of the work tree is outside', () => {
    expect(ruleOf(write('/project/link'), { paths: files({}, { '/project/link': '/home/u/.profile' }) })).toBe(
      'path/outside',
    );
  });

  test('temporary files and the notes of the client for its session are fine', () => {
    const transcript_path = '/home/u/.claude/projects/-work/s1.jsonl';
    expect(ruleOf(write('/tmp/scratch.txt'))).toBeNull();
    expect(ruleOf(write('/home/u/.claude/projects/-work/memory/notes.md', { transcript_path }))).toBeNull();
    expect(ruleOf(write('/home/u/.claude/plans/plan.md', { transcript_path }))).toBeNull();
    expect(ruleOf(write('/home/u/.claude/settings.json', { transcript_path }))).toBe('path/outside');
  });

  test('a home folder inside the temporary folder is a home all the same', () => {
    expect(ruleOf(write('/tmp/home/.bashrc'), { home: '/tmp/home' })).toBe('path/outside');
    expect(ruleOf(write('/home/u/tmp/x'), { temp: ['/home/u/tmp'] })).toBeNull();
  });
});

describe('protected files', () => {
  test('they are refused before anyone asks whether they were read', () => {
    expect(ruleOf(write('/project/ralph/prd.md'), { paths: files({ '/project/ralph/prd.md': 'x' }) })).toBe(
      'path/protected',
    );
  });

  test('another spelling or a link changes nothing', () => {
    expect(ruleOf(write('/project/ralph/PRD.md'))).toBe('path/protected');
    expect(ruleOf(write('/project/.GIT/config'))).toBe('path/protected');
    const paths = files({}, { '/project/docs/x.md': '/project/ralph/prd.md' });
    expect(ruleOf(write('/project/docs/x.md'), { paths })).toBe('path/protected');
  });

  test('the backlog and the progress log stay writable', () => {
    expect(ruleOf(write('/project/ralph/tasks.json'))).toBeNull();
  });

  test('reading them is fine', () => {
    expect(ruleOf(read('/project/ralph/prd.md'))).toBeNull();
  });
});

describe('a review', () => {
  const run = aRun({ mode: 'review' });

  test('writes only the backlog and the progress log', () => {
    expect(ruleOf(write('/project/src/a.ts'), { run })).toBe('review/read-only');
    expect(ruleOf(write('/project/ralph/tasks.json'), { run })).toBeNull();
    expect(ruleOf(write('/project/ralph/progress.txt'), { run })).toBeNull();
    expect(ruleOf(write('/tmp/notes'), { run })).toBeNull();
  });
});

describe('secrets', () => {
  test.each([
    '/home/u/.ssh/id_ed25519',
    '~/.aws/credentials',
    '/home/u/.claude/.credentials.json',
    '/home/u/.local/state/ralph/control/r1.json',
    '/srv/state/ralph/control/r1.json',
    '/home/u/.env',
    '/etc/shadow',
    '/proc/self/environ',
    '/opt/app/server.key',
  ])('%s is not read', (path) => {
    expect(ruleOf(read(path))).toBe('path/secret');
  });

  test.each(['/home/u/.ssh/known_hosts', '/home/u/.ssh/id_rsa.pub', '/etc/hosts', '/usr/include/a.h'])(
    '%s is no secret',
    (path) => expect(ruleOf(read(path))).toBeNull(),
  );

  test('in the work tree everything may be read: tests have keys of their own', () => {
    expect(ruleOf(read('/project/test/fixtures/server.key'))).toBeNull();
    expect(ruleOf(read('/project/.env'))).toBeNull();
  });

  test('a link in the work tree does not make a secret the project’s own', () => {
    expect(ruleOf(read('/project/k'), { paths: files({}, { '/project/k': '/home/u/.ssh/id_rsa' }) })).toBe(
      'path/secret',
    );
  });

  test('a search in a folder of secrets is a reading', () => {
    expect(ruleOf(toolCall('Grep', { path: '/home/u/.ssh', pattern: '.' }))).toBe('path/secret');
  });
});

describe('the shell', () => {
  test('what the guard blocks is refused with its reason, its alternative and its rule', () => {
    const { answer, effects } = decide(toolCall('Bash', { command: 'git push --force origin main' }), aContext());
    expect(answer).toHaveProperty('text', expect.stringMatching(/\. .+\(ralph: git.*\)$/));
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: 'event', body: expect.objectContaining({ type: 'denied', tool: 'Bash' }) }),
    );
  });

  test('protected files are protected through the shell too', () => {
    expect(ruleOf(toolCall('Bash', { command: 'echo x > ralph/prd.md' }))).not.toBeNull();
  });

  test('the guard judges from where the shell stands', () => {
    expect(ruleOf(toolCall('Bash', { command: 'rm -rf ../build' }, { cwd: '/project/sub' }))).toBeNull();
    expect(ruleOf(toolCall('Bash', { command: 'rm -rf ../build' }, { cwd: '/project' }))).not.toBeNull();
  });

  test('everyday commands pass', () => {
    expect(ruleOf(toolCall('Bash', { command: 'npm test && git status' }))).toBeNull();
  });
});

describe('outside a run', () => {
  const parts: Partial<HookContext> = { run: null, profile: 'interactive' };

  test('only the guard acts', () => {
    expect(ruleOf(write('/etc/hosts'), parts)).toBeNull();
    expect(ruleOf(read('/home/u/.ssh/id_rsa'), parts)).toBeNull();
    expect(ruleOf(write('/project/ralph/prd.md'), parts)).toBeNull();
    expect(ruleOf(toolCall('Bash', { command: 'rm -rf /' }), parts)).not.toBeNull();
  });
});

test('a tool nobody knows is let through', () => {
  expect(ruleOf(toolCall('constructor', { file_path: '/etc/hosts' }))).toBeNull();
  expect(ruleOf(toolCall('Write', { file_path: 7 }))).toBeNull();
});
