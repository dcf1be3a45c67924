import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listIssues, needLogin, runGh } from './gh.ts';
import { failedChecks, failedLog, findPullRequest, mayWrite, reviewThreads } from './pull-request.ts';

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

describe('a pull request', () => {
  const pull = {
    ...{ number: 7, url: 'https://git.example.org/una/shop/pull/7', head: '', branch: 'ralph/shop', isOpen: true },
    ...{ host: 'git.example.org', owner: 'una', name: 'shop' },
  };

  it('is found with its host and repository, which may not be those of the remote', async () => {
    const options = await standIn(
      `echo '{"number":7,"url":"${pull.url}","state":"MERGED","headRefOid":"abc","headRefName":"ralph/shop"}'`,
    );
    expect(await findPullRequest('ralph/shop', options)).toEqual({ ...pull, head: 'abc', isOpen: false });
    await expect(
      findPullRequest('x', await standIn('echo "no pull requests found" >&2; exit 1')),
    ).rejects.toMatchObject({
      facts: { why: 'no pull requests found' },
    });
    await expect(findPullRequest('x', await standIn('echo "<html>"'))).rejects.toThrow('cannot be parsed');
  });

  it.each([
    ['failed ones, though gh ends with 1', 'exit 1', 1],
    ['pending ones, though it ends with 8', 'exit 8', 1],
    ['none that were reported', 'true', 0],
  ])('has failed checks: %s', async (_, end, count) => {
    const printed = '[{"name":"a","bucket":"fail"},{"name":"b","bucket":"cancel"},{"name":"c","bucket":"pending"}]';
    const script =
      count === 0 ? `echo "no checks reported on the 'x' branch" >&2; exit 1` : `echo '${printed}'; ${end}`;
    expect(await failedChecks(pull, await standIn(script))).toHaveLength(count);
  });

  it('has a log of a failed job, without the columns of gh; of other checks there is none', async () => {
    const options = await standIn(
      "printf 'job\\tstep\\t2026-01-01T00:00:00Z one\\njob\\tstep\\t2026-01-01T00:00:01Z\\n'",
    );
    const check = { name: 'a', workflow: '', description: '', link: 'https://x/actions/runs/1/job/2' };
    expect(await failedLog(pull, check, options)).toEqual(['one', '']);
    expect(await failedLog(pull, { ...check, link: 'https://ci.example.org/2' }, options)).toEqual([]);
  });

  it('may be written to by accounts with that right; one that cannot be asked about may not', async () => {
    const asked = await standIn(
      'case "$*" in *una*) echo \'{"permission":"write"}\';; *ben*) echo \'{"permission":"read"}\';; *) exit 1;; esac',
    );
    const may = (login: string) => mayWrite({ ...pull, owner: 'o' }, login, asked);
    expect(await Promise.all(['una', 'ben', 'gone', '../../user', 'a[bot]'].map(may))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('answers a query that is refused with what gh says', async () => {
    await expect(
      reviewThreads(pull, await standIn('echo "gh: Could not resolve to a Repository" >&2; exit 1')),
    ).rejects.toMatchObject({
      facts: { why: 'gh: Could not resolve to a Repository' },
    });
    await expect(reviewThreads(pull, await standIn(`echo '{"data":{"repository":null}}'`))).rejects.toThrow(
      'cannot be parsed',
    );
  });
});
