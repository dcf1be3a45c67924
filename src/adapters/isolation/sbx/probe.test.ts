import { describe, expect, test } from 'vitest';
import { exists } from '../../../platform/index.ts';
import { sbxRunner } from './client.ts';
import { openSbx } from './open.ts';
import { inputFor, type Played, type StandInOptions, standIn } from './stand-in.fixture.ts';

async function opened(options: StandInOptions = {}) {
  const sbx = await standIn({ prepared: 'running', ...options });
  return { ...sbx, isolation: openSbx(inputFor(sbx.project, sbx.env, ['api.example.com', '*.example.net'])) };
}

describe('the probe', () => {
  test('tries the sandbox in reality: here it is this very machine, and that is seen', async () => {
    const { isolation, project } = await opened();
    const { available, claims, detail } = await isolation.probe();
    expect(available).toBe(false);
    expect(detail).toMatch(/^Docker Sandboxes, sbx 0\.53\.1, sandbox ralph-project-/);
    const held = Object.fromEntries(claims.map((one) => [one.claim, one.held]));
    expect(held).toMatchObject({
      'the work tree can be written': true,
      'a file outside the work tree cannot be written': false,
      'a file outside the work tree cannot be read': false,
      "the host's processes cannot be seen": false,
    });
    expect(await exists(`${project}/.ralph/state/inside`)).toBe(false);
  });

  test('does not hold where the network is open', async () => {
    const { isolation } = await opened({ openNetwork: true });
    const { claims } = await isolation.probe();
    expect(claims).toContainEqual({
      claim: 'a host off the list cannot be reached',
      held: false,
      detail: 'example.org answered',
    });
  });

  test('asks in this order, with nothing to read and no prompt where sbx knows how', async () => {
    const { isolation, project, calls } = await opened({ help: '  --no-input   Never prompt\n' });
    await isolation.probe();
    const asked = (await calls()).map(({ args }) => args.join(' '));
    expect(asked.slice(0, 4)).toEqual([
      '--help',
      '--no-input version',
      '--no-input diagnose --output json',
      '--no-input ls --json',
    ]);
    expect(asked.every((line) => line.startsWith('--'))).toBe(true);
    const { args } = await isolation.wrap({ file: 'true', args: [], cwd: project, env: {}, mounts: [] });
    expect(args.join(' ')).toContain(' sbx --no-input exec -i ');
    expect((await calls()).every(({ stdin }) => stdin === '')).toBe(true);
  });

  test('a version that does not know --no-input is not given it', async () => {
    const { isolation, lines } = await opened();
    await isolation.probe();
    expect((await lines())[0]).toBe('version');
  });

  const checks = (name: string, message: string, hint = '') =>
    JSON.stringify({ version: '0.53.1', checks: [{ name, status: 'fail', message, detail: '', hint }] });

  test.each<{ name: string; options: StandInOptions; says: RegExp; fix: RegExp }>([
    {
      name: 'no sandbox for this project',
      options: {},
      says: /no sandbox for this project/,
      fix: /ralph sandbox create/,
    },
    {
      name: 'an empty list as null',
      options: { played: { ls: { stdout: '{"sandboxes":null}' } } },
      says: /no sandbox for this project/,
      fix: /ralph sandbox create/,
    },
    {
      name: 'not signed in, told by diagnose',
      options: {
        played: { diagnose: { stdout: checks('Authentication', 'Not signed in', 'Run sbx login'), exitCode: 1 } },
      },
      says: /not signed in to Docker/,
      fix: /^Run sbx login/,
    },
    {
      name: 'not signed in, and asking',
      options: { played: { ls: { prompts: true } } },
      says: /not signed in/,
      fix: /sbx login/,
    },
    {
      name: 'the daemon is down',
      options: { played: { ls: { exitCode: 1, stderr: 'ERROR: dial unix sandboxd.sock: connection refused\n' } } },
      says: /daemon of sbx does not answer \(ERROR: dial unix/,
      fix: /daemon restart/,
    },
    {
      name: 'no virtualisation',
      options: { played: { diagnose: { stdout: `Welcome!\n${checks('Virtualization', '/dev/kvm is missing')}` } } },
      says: /cannot run the virtual machines/,
      fix: /kvm/,
    },
    {
      name: 'a flag that this version does not know',
      options: { played: { diagnose: { exitCode: 1, stderr: 'unknown flag: --output\n' } } },
      says: /does not know a command that ralph uses/,
      fix: /update sbx/,
    },
    {
      name: 'JSON of another shape',
      options: { played: { ls: { stdout: '[{"name":"x"}]' } } },
      says: /in an unknown form/,
      fix: /update sbx/,
    },
    {
      name: 'no JSON at all',
      options: { played: { ls: { stdout: 'NAME  STATUS\n' } } },
      says: /in an unknown form/,
      fix: /update sbx/,
    },
    {
      name: 'a sandbox of that name for another folder',
      options: { prepared: 'running', workspaces: ['/projects/app'] },
      says: /is for another folder/,
      fix: /ralph sandbox remove/,
    },
    {
      name: 'a version that fails',
      options: { played: { version: { exitCode: 2 } } },
      says: /sbx failed \(it ended with exit code 2\)/,
      fix: /diagnose/,
    },
  ])('says what is wrong and how to fix it: $name', async ({ options, says, fix }) => {
    const { project, env } = await standIn(options);
    const found = await openSbx(inputFor(project, env)).probe();
    expect(found).toMatchObject({ available: false, claims: [], detail: expect.stringMatching(says) });
    expect(found.fix.join('\n')).toMatch(fix);
  });

  test('a failed check that sandboxes do not need is none of ours', async () => {
    const { project, env } = await standIn({ played: { diagnose: { stdout: checks('Telemetry', 'off') } } });
    expect((await openSbx(inputFor(project, env)).probe()).detail).toMatch(/no sandbox for this project/);
  });

  test('a sandbox that stands still counts: the first command starts it', async () => {
    const { isolation } = await opened({ prepared: 'stopped' });
    expect((await isolation.probe()).claims[0]).toMatchObject({ held: true });
  });

  test('does not wait for an sbx that hangs', async () => {
    const played: Record<string, Played> = { ls: { hangs: true } };
    const { project, env } = await standIn({ played });
    const real = sbxRunner(env);
    const impatient: typeof real = (args, options) => real(args, { ...options, timeoutMs: 500 });
    const found = await openSbx(inputFor(project, env), impatient).probe();
    expect(found).toMatchObject({ available: false, detail: expect.stringMatching(/^sbx does not answer/) });
  });

  test('says so where sbx is not installed, and what the older plugin is worth', async () => {
    const { project, env } = await standIn({ played: { 'sandbox ls': { stdout: '' } } });
    const missing = sbxRunner(env, 'no-such-sbx');
    const withPlugin = await openSbx(inputFor(project, env), missing).probe();
    expect(withPlugin.detail).toMatch(/^sbx is not installed \(the `docker sandbox`.*not used\)$/);
    const without = await openSbx(inputFor(project, env), missing, missing).probe();
    expect(without).toMatchObject({ available: false, detail: 'sbx is not installed', claims: [] });
    expect(without.fix.join()).toMatch(/docs\.docker\.com/);
  });
});
