import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listIssues, needLogin, runGh } from './gh.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ralph-gh-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A program called gh that does what a line of shell says. */
async function standIn(script: string) {
  await writeFile(join(folder, 'gh'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'gh'), 0o755);
  return { cwd: folder, env: { PATH: `${folder}:${process.env['PATH']}` } };
}

/** "JSON fields" in the manual of `gh issue list` and `gh issue view`. */
const DOCUMENTED = [
  ...['assignees', 'author', 'body', 'closed', 'closedAt', 'comments', 'createdAt', 'id', 'labels', 'milestone'],
  ...['number', 'projectCards', 'projectItems', 'reactionGroups', 'state', 'title', 'updatedAt', 'url'],
];

describe('gh', () => {
  it('that is not there is an error that says how to get it', async () => {
    await expect(runGh(['issue', 'list'], { cwd: folder, env: { PATH: folder } })).rejects.toMatchObject({
      facts: { what: 'GitHub cannot be reached', fix: [expect.stringContaining('cli.github.com'), expect.anything()] },
    });
  });

  it('without a login says how to log in', async () => {
    const options = await standIn('echo "To get started with GitHub CLI, please run: gh auth login" >&2; exit 4');
    await expect(runGh(['issue', 'list'], options)).rejects.toMatchObject({
      facts: { why: 'gh is not logged in to GitHub', fix: [expect.stringContaining('gh auth login')] },
    });
  });

  it('with a login that is not valid says what gh says', async () => {
    const options = await standIn('echo "X The token in GH_TOKEN is invalid." >&2; exit 1');
    await expect(needLogin(options)).rejects.toMatchObject({
      facts: {
        why: 'X The token in GH_TOKEN is invalid.',
        fix: expect.arrayContaining(['check: gh auth status']),
      },
    });
    expect(await needLogin(await standIn('exit 0'))).toBeUndefined();
  });

  it('that fails is quoted', async () => {
    const options = await standIn('echo "could not resolve to a Repository" >&2; exit 1');
    await expect(runGh(['issue', 'list'], options)).rejects.toMatchObject({
      facts: { why: 'could not resolve to a Repository' },
    });
  });

  it('is asked for issues with arguments of their own, prompts off', async () => {
    const options = await standIn(`[ "$GH_PROMPT_DISABLED" = 1 ] || exit 9
printf '%s\\n' "$@" >"${join(folder, 'args')}"
echo '[{"number":2,"title":"b","body":"","labels":[{"name":"x"}],"url":"u","author":{"login":"una"},"milestone":null},{"number":1}]'`);
    const issues = await listIssues({ repository: 'una/app', label: 'to do; rm', number: null }, options);
    expect(issues.map(({ number }) => number)).toEqual([1, 2]);
    expect(issues[1]).toMatchObject({ labels: ['x'], author: 'una' });
    expect((await readFile(join(folder, 'args'), 'utf8')).split('\n').slice(0, 6)).toEqual([
      'issue',
      'list',
      '--repo',
      'una/app',
      '--label',
      'to do; rm',
    ]);
  });

  it('is asked for documented fields only', async () => {
    const options = await standIn(`printf '%s\\n' "$@" >"${join(folder, 'args')}"; echo '[]'`);
    for (const number of [null, 12]) {
      await listIssues({ repository: 'una/app', label: null, number }, options);
      const args = (await readFile(join(folder, 'args'), 'utf8')).split('\n');
      const fields = args[args.indexOf('--json') + 1]?.split(',') ?? [];
      expect(fields.filter((field) => !DOCUMENTED.includes(field))).toEqual([]);
      expect(fields).toContain('url');
    }
  });
});
