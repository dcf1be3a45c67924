import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';

/** `gh issue comment {<number> | <url>} --body-file -`, as its manual has it. */
const GH = `#!/bin/sh
[ "$1 $2" = 'issue comment' ] && [ "$4 $5" = '--body-file -' ] && [ $# = 5 ] || exit 9
[ -z "$GH_LOGGED_OUT" ] || { echo 'To get started, please run: gh auth login' >&2; exit 4; }
{ echo "$3"; cat; echo; } >>"$GH_LOG"
`;

let project: Project;
afterEach(() => project.remove());

async function made(comment: boolean) {
  project = await makeProject({
    stories: [{ id: 'GH-7', url: 'https://github.com/una/app/issues/7' }, { id: 'US-002' }],
    verifyCommands: ['true'],
    steps: [
      { when: { story: 'GH-7' }, do: [{ status: { STATUS: 'BLOCKED', RECOMMENDATION: 'Which currency, @una?' } }] },
      { do: [{ status: { STATUS: 'BLOCKED', RECOMMENDATION: 'this one came from no issue' } }] },
    ],
    files: { 'ralph.config.json': JSON.stringify({ issues: { comment } }) },
  });
  const bin = join(project.outside, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'gh'), GH);
  await chmod(join(bin, 'gh'), 0o755);
  return { PATH: `${bin}:${process.env['PATH']}`, GH_LOG: join(project.outside, 'gh.log') };
}
const log = () => readFile(join(project.outside, 'gh.log'), 'utf8').catch(() => '');

test('a blocked story is a comment on its issue, which mentions no one', async () => {
  const env = await made(true);
  const { code, stderr } = await project.run([], env);
  expect({ code, stderr }).toEqual({ code: 6, stderr: '' });
  const said = await log();
  expect(said).toMatch(/^https:\/\/github\.com\/una\/app\/issues\/7\nralph stopped working on this/);
  expect(said).toContain('Which currency,');
  expect(said).not.toContain('@una');
  expect(said).not.toContain('no issue');
});

test('without a login it is a warning', async () => {
  const env = await made(true);
  const { code, stderr } = await project.run([], { ...env, GH_LOGGED_OUT: '1' });
  expect(code).toBe(6);
  expect(stderr).toContain('warning: no comment on the issue of GH-7: gh is not logged in to GitHub');
});

test('without the setting nothing is sent', async () => {
  const env = await made(false);
  expect(await project.run([], env)).toMatchObject({ code: 6, stderr: '' });
  expect(await log()).toBe('');
});
