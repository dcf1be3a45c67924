import { describe, expect, test } from 'vitest';
import { livingOf } from '../../../../test/support/processes.ts';
import { list, readText, runCommand } from '../../../platform/index.ts';
import type { InsideCommand, Isolation } from '../port.ts';
import { openSbx } from './open.ts';
import { inputFor, type StandInOptions, standIn } from './stand-in.fixture.ts';

const RUN = { run: 'r1', localPorts: [41234], onRefusal: () => {} };
const HOSTS = ['api.example.com', '*.example.net'];

async function opened(options: StandInOptions = {}, hosts: readonly string[] = HOSTS) {
  const sbx = await standIn({ prepared: 'running', ...options });
  return { ...sbx, isolation: openSbx(inputFor(sbx.project, sbx.env, hosts)) };
}

const bash = (project: string, script: string, env: Record<string, string> = {}): InsideCommand => ({
  file: '/bin/bash',
  args: ['-c', script],
  cwd: project,
  env,
  mounts: [],
});

/** Wraps a command and runs it as the loop would. */
async function run(isolation: Isolation, command: InsideCommand) {
  const { end, ...wrapped } = await isolation.wrap(command);
  const result = await runCommand(wrapped.file, wrapped.args, { ...wrapped, timeoutMs: 300_000 });
  await end();
  return { code: result.exitCode, out: result.stdout.toString(), err: result.stderr.toString(), wrapped };
}

describe('a command inside', () => {
  test('runs by `sbx exec` in its folder, with its variables and its own arguments', async () => {
    const { isolation, project, name, lines } = await opened();
    const command = bash(project, 'echo "$PWD $RALPH_STORY_ID"; echo "$0|$1" >&2', { RALPH_STORY_ID: 'US-1 and more' });
    const { code, out, err } = await run(isolation, { ...command, args: [...command.args, 'a b', "c'd"] });
    expect([code, out, err]).toEqual([0, `${project} US-1 and more\n`, "a b|c'd\n"]);
    const [line] = (await lines()).filter((one) => one.startsWith('exec -i'));
    expect(line).toContain(
      `exec -i -w ${project} -e RALPH_STORY_ID=US-1 and more -e IS_SANDBOX=1 -e RALPH_INSIDE=one.`,
    );
    expect(line).toContain(` ${name} bash -c `);
    // Programs of this machine are not there under their paths.
    expect(line).toContain(' bash -c echo');
  });

  test('gets what is written to its standard input', async () => {
    const { isolation, project } = await opened();
    const wrapped = await isolation.wrap(bash(project, 'cat'));
    const { stdout } = await runCommand(wrapped.file, wrapped.args, { ...wrapped, input: 'the prompt' });
    expect(stdout.toString()).toBe('the prompt');
    await wrapped.end();
  });

  test.each([
    { name: 'a failure', script: 'exit 3', execExit: 0, code: 3 },
    { name: 'a success', script: 'true', execExit: 1, code: 0 },
    { name: 'a signal', script: 'kill -9 $$', execExit: 0, code: 137 },
    { name: 'a program that is not there', script: 'exec no-such-program', execExit: 0, code: 127 },
  ])('ends with its own exit code whatever sbx makes of it: $name', async ({ script, execExit, code }) => {
    const { isolation, project } = await opened({ execExit });
    expect((await run(isolation, bash(project, script))).code).toBe(code);
    expect(await list(`${project}/.ralph/state/inside`)).toEqual([]);
  });

  test.each([
    {
      name: 'the sandbox is gone',
      options: { played: { exec: { exitCode: 1, stderr: "ERROR: no sandbox named 'x'\n" } } },
      code: 1,
    },
    { name: 'sbx ends as if all were well', options: { played: { exec: { exitCode: 0 } } }, code: 125 },
  ])('never looks like a success when it was not run: $name', async ({ options, code }) => {
    const { isolation, project } = await opened(options);
    expect((await run(isolation, bash(project, 'true'))).code).toBe(code);
  });

  test('carries no credential and nothing of this machine on its command line', async () => {
    const { isolation, project, lines } = await opened();
    const env = {
      ANTHROPIC_API_KEY: 'sk-ant-123',
      GH_TOKEN: 't0ken',
      DATABASE_URL: 'postgres://una:pass@db/app',
      RALPH_CONTROL_URL: 'http://127.0.0.1:41234',
      RALPH_CONTROL_TOKEN: 't0ken',
      HTTPS_PROXY: 'http://127.0.0.1:3128',
      PATH: '/home/una/bin:/usr/bin',
      HOME: '/home/una',
      CLAUDE_CODE_TMPDIR: '/tmp/ralph-1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.editor',
      GIT_CONFIG_VALUE_0: '/bin/true',
      PLAN: `${project}/plan.md`,
    };
    const { wrapped } = await run(isolation, bash(project, 'true', env));
    const [line = ''] = (await lines()).filter((one) => one.startsWith('exec -i'));
    expect(line.match(/(?<=-e )\w+(?==)/g)).toEqual([
      ...['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0', 'PLAN', 'IS_SANDBOX', 'RALPH_INSIDE'],
    ]);
    expect(wrapped.args.join(' ')).not.toMatch(/sk-ant|t0ken|una:pass|41234/);
  });

  test('has the run’s marker on the host too, so that stopping the agent finds sbx', async () => {
    const { isolation, project } = await opened();
    const { wrapped } = await run(isolation, bash(project, 'true', { RALPH_RUN_ID: 'r1' }));
    expect(wrapped.env).toMatchObject({ RALPH_RUN_ID: 'r1', SECRET_OF_THE_HOST: 'x' });
  });

  test.skipIf(process.platform !== 'linux')('leaves nothing running inside once it has ended', async () => {
    const { isolation, project } = await opened();
    const script = `setsid bash -c 'trap "" TERM; echo $$ >pid; sleep 600' >/dev/null 2>&1 & while [ ! -s pid ]; do sleep 0.05; done`;
    await run(isolation, bash(project, script));
    expect(await livingOf([Number(await readText(`${project}/pid`))])).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('that is stopped is over, and says by which signal', async () => {
    const { isolation, project } = await opened();
    const wrapped = await isolation.wrap(bash(project, 'sleep 600'));
    const { exitCode, timedOut } = await runCommand(wrapped.file, wrapped.args, { ...wrapped, timeoutMs: 700 });
    await wrapped.end();
    expect(timedOut).toBe(true);
    expect(exitCode).not.toBe(0);
  });
});

describe('a run', () => {
  test('allows its hosts in its own sandbox, and asks whether they are', async () => {
    const { isolation, name, lines, state } = await opened();
    await isolation.prepare(RUN);
    expect((await state())['allowed']).toEqual(HOSTS);
    const asked = (await lines()).filter((line) => line.startsWith('policy'));
    expect(asked).toEqual([
      `policy check network --sandbox ${name} ralph-asks-for-nothing.invalid`,
      `policy check network --sandbox ${name} api.example.com`,
      `policy allow network --sandbox ${name} api.example.com`,
      `policy check network --sandbox ${name} api.example.com`,
      `policy check network --sandbox ${name} any.example.net`,
      `policy allow network --sandbox ${name} *.example.net`,
      `policy check network --sandbox ${name} any.example.net`,
    ]);
    await isolation.dispose();
  });

  test.skipIf(process.platform !== 'linux')('ends what a run that was killed left at work', async () => {
    const { isolation, project } = await opened();
    await isolation.prepare(RUN);
    const wrapped = await isolation.wrap(bash(project, 'setsid sleep 600 >/dev/null 2>&1 & echo $! >pid'));
    await runCommand(wrapped.file, wrapped.args, wrapped);
    const left = [Number(await readText(`${project}/pid`))];
    expect(await livingOf(left)).toEqual(left);
    const next = openSbx({
      ...inputFor(project, wrapped.env),
      workspace: { root: project, readOnly: [], writable: [] },
    });
    await next.prepare(RUN);
    expect(await livingOf(left)).toEqual([]);
  });

  test.each<{ name: string; options: StandInOptions; says: RegExp; fix: RegExp }>([
    { name: 'open', options: { policy: 'allow-all' }, says: /does not refuse unknown hosts/, fix: /policy reset/ },
    { name: 'missing', options: { policy: 'none' }, says: /no network policy yet/, fix: /ralph sandbox create/ },
    {
      name: 'unclear',
      options: { played: { 'policy check': { stdout: 'hm\n' } } },
      says: /does not refuse unknown hosts/,
      fix: /policy reset/,
    },
    {
      name: 'of an organisation that knows better',
      options: { played: { 'policy allow': { stdout: '' } } },
      says: /refuses api\.example\.com although/,
      fix: /policy ls/,
    },
  ])('is refused under a policy that is $name', async ({ options, says, fix }) => {
    const { isolation } = await opened(options);
    const error = await isolation.prepare(RUN).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ exitCode: 7, facts: { what: expect.stringMatching(says) } });
    expect((error as { facts: { fix: string[] } }).facts.fix.join('\n')).toMatch(fix);
  });
});
