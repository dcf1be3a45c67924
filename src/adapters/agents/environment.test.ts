import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testTask } from '../../../test/support/agent-task.ts';
import { runCommand } from '../../platform/index.ts';
import { agentEnvironment } from './environment.ts';

const task = testTask({
  cwd: '/project',
  tempDir: '/tmp/x',
  mode: 'review',
  storyId: 'US-7',
  attempt: 2,
  reviewCount: 3,
  try: 4,
  iteration: 9,
});

describe('agentEnvironment', () => {
  it('tells the agent where in the run it is', () => {
    expect(agentEnvironment({}, task)).toMatchObject({
      RALPH_RUN_ID: task.run,
      RALPH_ITERATION: '9',
      RALPH_MODE: 'review',
      RALPH_STORY_ID: 'US-7',
      RALPH_ATTEMPT: '2',
      RALPH_REVIEW_COUNT: '3',
      RALPH_TRY: '4',
      GIT_TERMINAL_PROMPT: '0',
    });
  });

  it('keeps loopback away from a proxy and the hosts that were exempt before', () => {
    expect(agentEnvironment({ no_proxy: 'corp.example, localhost' }, task)).toMatchObject({
      NO_PROXY: 'corp.example,localhost,127.0.0.1',
      no_proxy: 'corp.example,localhost,127.0.0.1',
    });
  });

  it("uses the user's identity, or the loop's when there is none", () => {
    expect(agentEnvironment({ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' }, task)).toMatchObject({
      GIT_AUTHOR_NAME: 'Ada',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.org',
    });
    expect(agentEnvironment({}, task)).toMatchObject({
      GIT_AUTHOR_NAME: 'Ralph Loop',
      GIT_COMMITTER_EMAIL: 'ralph@localhost',
    });
  });
});

describe('git in an agent', () => {
  let dir = '';
  beforeEach(async () => {
    dir = await realpath(await mkdtemp(join(tmpdir(), 'ralph-env-')));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  async function git(args: readonly string[], base: Record<string, string> = {}) {
    const env = agentEnvironment({ PATH: process.env['PATH'] ?? '', HOME: dir, ...base }, task);
    const { exitCode, stdout, stderr } = await runCommand('git', args, { cwd: dir, env });
    return { exitCode, out: stdout.toString(), err: stderr.toString() };
  }

  it('can commit, unsigned, and fetch, but not push', async () => {
    await git(['init', '-q', '-b', 'main']);
    await git(['config', 'commit.gpgsign', 'true']);
    await git(['config', 'gpg.program', 'false']);
    await writeFile(join(dir, 'a'), 'a');
    await git(['add', 'a']);
    expect(await git(['commit', '-q', '-m', 'a'])).toMatchObject({ exitCode: 0 });
    await git(['init', '-q', '--bare', 'remote.git']);
    for (const url of [
      join(dir, 'remote.git'),
      `file://${dir}/remote.git`,
      'ssh://nowhere.invalid/x',
      'git@nowhere.invalid:x',
    ]) {
      await git(['remote', 'remove', 'origin']);
      await git(['remote', 'add', 'origin', url]);
      const push = await git(['push', 'origin', 'main']);
      expect(push.exitCode, url).not.toBe(0);
      expect(push.err).toContain('ralph-no-push');
    }
    await git(['remote', 'set-url', 'origin', join(dir, 'remote.git')]);
    expect(await git(['fetch', 'origin'])).toMatchObject({ exitCode: 0 });
  });

  it('keeps settings that the environment already carried', async () => {
    const base = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.abbrev', GIT_CONFIG_VALUE_0: '12' };
    expect((await git(['config', 'core.abbrev'], base)).out.trim()).toBe('12');
    expect((await git(['config', 'commit.gpgsign'], base)).out.trim()).toBe('false');
  });
});
