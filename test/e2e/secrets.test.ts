import { execFileSync } from 'node:child_process';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { APPROVED, changesRequested, READY, shell, tool, write } from '../support/says.ts';

/**
 * A secret of the run, in the environment that agents and checks get: what they say and print reaches the terminal, the
 * records, the agents' logs and the commits without it.
 */

// No token that is known by its shape.
const KEY = 'shop-live:7Qw3rT9yUi5oPa1sDf6gHj2k';
const ENV = { SHOP_API_KEY: KEY };
const CONFIG = JSON.stringify({ env: { pass: ['SHOP_API_KEY'] } });

let project: Project;
afterEach(() => project?.remove());

/** As agents and checks print it. */
const PRINT = [
  'echo "key $SHOP_API_KEY"',
  'printf %s "a$SHOP_API_KEY" | base64',
  'printf %s "$SHOP_API_KEY" | od -An -v -tx1 | tr -d " \\n"',
  'echo',
].join('; ');

/** Every form of it, cut short: a secret is out when most of it is. */
const FORMS = [
  KEY,
  ...['', 'a', 'ab'].map((before) =>
    Buffer.from(before + KEY)
      .toString('base64')
      .slice(4, 40),
  ),
  Buffer.from(KEY).toString('hex'),
  encodeURIComponent(KEY),
];
const inText = (text: string) => FORMS.filter((form) => text.includes(form));

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Files that the loop wrote and that hold it. */
async function leaks(...folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    for (const file of await filesBelow(join(project.root, folder))) {
      if (inText(await readFile(file, 'utf8')).length > 0) found.push(file);
    }
  }
  return found;
}

test('a key that agents and checks print stays out of everything that the loop writes', async () => {
  project = await makeProject({
    files: {
      'ralph.config.json': CONFIG,
      'check.sh': `if test -e till.txt; then grep -q sums till.txt || { ${PRINT}; exit 1; }; else ${PRINT}; fi\n`,
    },
    verifyCommands: ['sh check.sh'],
    stories: [{ id: 'US-001' }],
    steps: [
      {
        when: { mode: 'implement', attempt: 1 },
        do: [
          shell(`${PRINT}; git add -A; git commit -qm "the key is $SHOP_API_KEY" --allow-empty`),
          tool('log_progress', {
            notes: [`I used ${KEY}`],
            patterns: [`always ${Buffer.from(KEY).toString('base64')}`],
          }),
          { progress: `by hand: ${KEY}` },
          write('till.txt', 'adds up\n'),
          READY,
        ],
      },
      {
        when: { mode: 'implement' },
        do: [
          shell('git commit -q --allow-empty -m "again $SHOP_API_KEY"'),
          write('till.txt', 'sums\n'),
          tool('complete_story', { status: 'success', summary: `works with ${KEY}`, tests: 'passing' }),
        ],
      },
      { when: { mode: 'review', reviewCount: 0 }, do: [changesRequested(`do not use ${KEY}`)] },
      {
        when: { mode: 'review-fix' },
        do: [write('till.txt', 'sums up\n'), { story: { set: { notes: `not ${KEY} any more` } } }, READY],
      },
      { when: { mode: 'review' }, do: [{ say: `fine, even with ${KEY}` }, APPROVED] },
    ],
  });
  const { code, stdout, stderr } = await project.run(['--verbose'], ENV);
  expect(code, stdout + stderr).toBe(0);
  expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual([
    'rejected',
    'accepted',
    'accepted',
    'accepted',
    'accepted',
  ]);
  expect(inText(stdout)).toEqual([]);
  expect(inText(stderr)).toEqual([]);
  expect(stdout).toContain('key [redacted]');
  expect(inText(await project.git('log', '-p', 'HEAD'))).toEqual([]);
  expect(await project.git('log', '--format=%B', 'HEAD')).toContain('again [redacted]');
  expect(await leaks('ralph', '.ralph', '.git/ralph')).toEqual([]);
  expect(
    inText(await project.git('for-each-ref', '--format=%(contents:subject) %(contents:body)', 'refs/ralph/rescue')),
  ).toEqual([]);
  // What people are shown afterwards is made of the same.
  for (const args of [['log'], ['report', '--format', 'md'], ['status', '--json']]) {
    const shown = await project.ralph(args, ENV);
    expect(inText(shown.stdout), args.join(' ')).toEqual([]);
  }
});

test.each([
  ['as it is', 'cp /dev/stdin src/key.js <<EOF\nexport const key = "$SHOP_API_KEY";\nEOF\n', ''],
  ['as base64', 'printf %s "$SHOP_API_KEY" | base64 > src/key.js', ''],
  ['where work is never rolled back', 'echo "$SHOP_API_KEY" > src/key.js', '--rollback=never'],
])('work that holds a key is rejected, and the file is named: %s', async (_how, plant, flag) => {
  project = await makeProject({
    files: { 'ralph.config.json': CONFIG },
    stories: [{ id: 'US-001' }],
    steps: [
      { when: { mode: 'implement', attempt: 1 }, do: [shell(`mkdir -p src; ${plant}`), READY] },
      {
        when: { mode: 'implement' },
        do: [{ 'expect-prompt': 'src/key.js' }, write('src/key.js', 'export const key = process.env.KEY;\n'), READY],
      },
      { when: { mode: 'review' }, do: [APPROVED] },
    ],
  });
  const { code, stdout, stderr } = await project.run(flag === '' ? [] : [flag], ENV);
  expect(code, stdout + stderr).toBe(0);
  const [first] = await ledgerOf(project);
  expect(first).toMatchObject({ verdict: 'rejected', violations: [{ rule: 'secret', field: 'src/key.js' }] });
  expect(first?.reason).toContain('src/key.js');
  expect(first?.reason).toContain('SHOP_API_KEY');
  expect(inText(await project.git('log', '-p', 'HEAD'))).toEqual([]);
  // Nothing is lost: it is in the rescue.
  expect(first?.rescue).toMatch(/^refs\/ralph\/rescue\//);
});

test('a key that stood there before is no reason to reject work on the same file', async () => {
  project = await makeProject({
    files: { 'ralph.config.json': CONFIG, 'src/key.js': `export const key = "${KEY}";\n` },
    stories: [{ id: 'US-001' }],
    steps: [
      { when: { mode: 'implement' }, do: [{ append: { path: 'src/key.js', content: '// old\n' } }, READY] },
      { when: { mode: 'review' }, do: [APPROVED] },
    ],
  });
  const { code, stdout } = await project.run([], ENV);
  expect(code, stdout).toBe(0);
});

test('commits of the agent that hold a key do not stay on the branch', async () => {
  project = await makeProject({
    files: { 'ralph.config.json': JSON.stringify({ commits: 'keep', env: { pass: ['SHOP_API_KEY'] } }) },
    stories: [{ id: 'US-001' }],
    steps: [
      {
        when: { mode: 'implement' },
        do: [
          shell(
            'echo "$SHOP_API_KEY" > key.txt; git add -A; git commit -qm one; git rm -q key.txt; echo x > x.txt; git add -A; git commit -qm two',
          ),
          READY,
        ],
      },
      { when: { mode: 'review' }, do: [APPROVED] },
    ],
  });
  const { code, stdout } = await project.run([], ENV);
  expect(code, stdout).toBe(0);
  expect(inText(await project.git('log', '-p', 'HEAD'))).toEqual([]);
  expect(stdout).toContain("agent's commits were squashed into one");
});

test('what runs write is closed to other users, whatever the umask and whatever was there', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }, { id: 'US-002' }],
    steps: [
      { when: { mode: 'implement' }, do: [write('till.txt', 'sums {{STORY_ID}}\n'), READY] },
      { when: { mode: 'review' }, do: [APPROVED] },
    ],
  });
  const wide = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    // Git's own scratch lies in a closed folder: how wide it is in there is git's affair.
    const own = ['.ralph', '.ralph/runs', '.ralph/state', '.git/ralph', '.git/ralph/journal'];
    for (const folder of own.map((name) => join(project.root, name))) {
      const names = await readdir(folder, { recursive: folder.endsWith('runs') });
      const paths = [folder, ...names.map((name) => join(folder, name))];
      for (const path of paths) {
        const { mode } = await lstat(path);
        const isShared = /\/(?:\.ralph|\.gitignore|index-[\w-]+|shadow|work)$/.test(path);
        if (!isShared && (mode & 0o077) !== 0) found.push(path.slice(project.root.length + 1));
      }
    }
    return found;
  };
  const umask = process.umask(0o022);
  onTestFinished(() => void process.umask(umask));
  expect((await project.run(['--once'])).code).not.toBeNull();
  expect(await wide()).toEqual([]);
  execFileSync('chmod', ['-R', 'a+rX', join(project.root, '.ralph'), join(project.root, '.git/ralph')]);
  expect((await project.run(['--once'])).code).not.toBeNull();
  expect(await wide()).toEqual([]);
});
