import { expect, test } from 'vitest';
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
const bash = (command: string, more: object = {}) => toolCall('Bash', { command }, more);
const on = (tool: string) => toolCall(tool, { file_path: '/project/a.ts' });
const linked = (from: string, to: string) => ({ paths: files({}, { [from]: to }) });

const there = { paths: files({ '/project/a.ts': 'old', '/project/ralph/prd.md': 'x' }) };
const known = { ...there, session: { ...NEW_SESSION, read: new Set(['/project/a.ts']) } };
const stream = '/tmp/shop/.ralph/worktrees/PRD-1';
const own = { root: stream };
const fromStream = (path: string) => write(path, { cwd: stream });
const review = { run: aRun({ mode: 'review' }) };
const outsideRun = { run: null, profile: 'interactive' } as const;
const transcript_path = '/home/u/.claude/projects/-work/s1.jsonl';

type Row = readonly [what: string, event: HookEvent, parts?: Partial<HookContext>];
const each = (what: string, event: (path: string) => HookEvent, paths: readonly string[]): readonly Row[] =>
  paths.map((path) => [`${what}: ${path}`, event(path)]);

const DENIED: Readonly<Record<string, readonly Row[]>> = {
  'path/unread': [
    ...['Edit', 'MultiEdit', 'Write'].map((tool): Row => [`${tool} of a file that was not read`, on(tool), there]),
    ['a notebook that was not read', toolCall('NotebookEdit', { notebook_path: '/project/a.ts' }), there],
  ],
  'path/stream': [
    ...each('another stream, from the project', write, [
      '/project/.ralph/worktrees/PRD-2/a.ts',
      '.ralph/worktrees/PRD-2/new/a.ts',
    ]),
    // Even where everything is in a temporary folder.
    ['another stream, from a stream', fromStream('../PRD-2/a.ts'), own],
    ['the project, from a stream', fromStream('../../../src/a.ts'), own],
    ['the git dir of another stream', fromStream('/tmp/shop/.git/worktrees/PRD-2/HEAD'), own],
    ['a link', fromStream('l'), { ...own, ...linked(`${stream}/l`, '/tmp/shop/.ralph/worktrees/PRD-2/a.ts') }],
  ],
  'path/outside': [
    ...each('outside', write, ['/etc/hosts', '/home/u/.bashrc', '/project/../other/x', '/workshop/x', '~/x']),
    ['relative to where the shell of the agent stands', write('../x', { cwd: '/project' })],
    ['a link that leads out of the work tree', write('/project/l'), linked('/project/l', '/home/u/.profile')],
    ["the client's settings beside its notes", write('/home/u/.claude/settings.json', { transcript_path })],
    ['a home folder inside the temporary folder', write('/tmp/home/.bashrc'), { home: '/tmp/home' }],
  ],
  'path/protected': [
    ['before anyone asks whether it was read', write('/project/ralph/prd.md'), there],
    ...each('in another spelling', write, ['/project/ralph/PRD.md', '/project/.GIT/config']),
    ['by a link', write('/project/x.md'), linked('/project/x.md', '/project/ralph/prd.md')],
  ],
  'review/read-only': [['code in a review', write('/project/src/a.ts'), review]],
  'path/secret': [
    ...each('a secret', read, [
      '/home/u/.ssh/id_ed25519',
      '~/.aws/credentials',
      '/home/u/.claude/.credentials.json',
      '/home/u/.local/state/ralph/control/words-1.key',
      '/srv/state/ralph/control/words-1.key',
      '/home/u/.env',
      '/etc/shadow',
      '/proc/self/environ',
      '/opt/app/server.key',
    ]),
    ['a link in the work tree to a secret', read('/project/k'), linked('/project/k', '/home/u/.ssh/id_rsa')],
    ['a search in a folder of secrets', toolCall('Grep', { path: '/home/u/.ssh', pattern: '.' })],
  ],
};

const ALLOWED: readonly Row[] = [
  ['what was read', write('/project/a.ts'), known],
  ['what was read, by a relative path', write('a.ts'), known],
  ['what was read, by a detour', write('/project/sub/../a.ts'), known],
  ['a new file', write('/project/new.ts'), there],
  ['a file of the own stream', fromStream('src/new.ts'), own],
  ['reading another stream', read('/tmp/shop/.ralph/worktrees/PRD-2/a.ts'), own],
  ['a path that is inside from where the shell stands', write('../x', { cwd: '/project/sub' })],
  ['a temporary file', write('/tmp/scratch.txt')],
  ['a temporary folder inside a home folder', write('/home/u/tmp/x'), { temp: ['/home/u/tmp'] }],
  ["the client's notes", write('/home/u/.claude/projects/-work/memory/notes.md', { transcript_path })],
  ["the client's plans", write('/home/u/.claude/plans/plan.md', { transcript_path })],
  ['the backlog', write('/project/ralph/tasks.json')],
  ['reading a protected file', read('/project/ralph/prd.md')],
  ['the backlog in a review', write('/project/ralph/tasks.json'), review],
  ['the progress log in a review', write('/project/ralph/progress.txt'), review],
  ['a temporary file in a review', write('/tmp/notes'), review],
  ...each('no secret', read, ['/home/u/.ssh/known_hosts', '/home/u/.ssh/id_rsa.pub', '/etc/hosts', '/usr/include/a.h']),
  ...each('in the work tree: tests have keys of their own', read, ['/project/test/server.key', '/project/.env']),
  ['everyday commands', bash('npm test && git status')],
  ['a deletion that is inside from where the shell stands', bash('rm -rf ../build', { cwd: '/project/sub' })],
  ['any file outside a run', write('/etc/hosts'), outsideRun],
  ['a secret outside a run', read('/home/u/.ssh/id_rsa'), outsideRun],
  ['a protected file outside a run', write('/project/ralph/prd.md'), outsideRun],
  ['a tool that is not known', toolCall('constructor', { file_path: '/etc/hosts' })],
  ['a path that is no text', toolCall('Write', { file_path: 7 })],
];

const full = (rows: readonly Row[]) => rows.map(([what, event, parts = {}]) => ({ what, event, parts }));

for (const [rule, rows] of Object.entries(DENIED)) {
  test.each(full(rows))(`${rule} refuses $what`, ({ event, parts }) => expect(ruleOf(event, parts)).toBe(rule));
}

test.each(full(ALLOWED))('$what is let through', ({ event, parts }) => expect(ruleOf(event, parts)).toBeNull());

const GUARDED: readonly Row[] = [
  ['a protected file', bash('echo x > ralph/prd.md')],
  ['a deletion outside, from where the shell stands', bash('rm -rf ../build', { cwd: '/project' })],
  ['destruction outside a run', bash('rm -rf /'), outsideRun],
];

test.each(full(GUARDED))('the guard refuses $what', ({ event, parts }) => expect(ruleOf(event, parts)).not.toBeNull());

test('a refusal says why and what to do instead; that of the guard names its rule', () => {
  const unread = decide(write('/project/a.ts'), aContext(there)).answer;
  expect(unread.text).toMatch(/^a\.ts exists .*Read a\.ts first/);
  const { answer, effects } = decide(bash('git push --force origin main'), aContext());
  expect(answer.text).toMatch(/\. .+\(ralph: git.*\)$/);
  expect(effects).toContainEqual(
    expect.objectContaining({ kind: 'event', body: expect.objectContaining({ type: 'denied', tool: 'Bash' }) }),
  );
});
