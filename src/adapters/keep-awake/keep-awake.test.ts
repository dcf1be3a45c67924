import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { livingOf } from '../../../test/support/processes.ts';
import { until } from '../../../test/support/until.ts';
import { keepAwake } from './keep-awake.ts';

/** With stand-ins on PATH that record how they were called: neither program works on every machine that runs tests. */

/** Records its arguments and pid, and holds its lock while the command behind its options runs. */
const STAND_IN = `#!/bin/sh
echo $$ >"$0.pid"
echo "$@" >"$0.args"
while [ "\${1#-}" != "$1" ]; do shift; done
"$@"
echo released >"$0.end"
`;

let bin: string;
beforeEach(async () => {
  bin = await mkdtemp(join(tmpdir(), 'ralph-awake-'));
});
afterEach(() => rm(bin, { recursive: true, force: true }));

async function program(name: string, text: string): Promise<void> {
  await writeFile(join(bin, name), text);
  await chmod(join(bin, name), 0o755);
}

function machine(system: string, kernel = 'generic') {
  return { system, kernel, path: `${bin}:/usr/bin:/bin` };
}

async function textOf(name: string): Promise<string> {
  const text = () => readFile(join(bin, name), 'utf8');
  await until(async () => (await text()).endsWith('\n'));
  return (await text()).trim();
}

describe.each([
  ['linux', 'systemd-inhibit', '--what=idle:sleep --who=ralph --why=a run is under way --mode=block sh -c'],
  ['darwin', 'caffeinate', '-i sh -c'],
])('on %s', (system, name, args) => {
  it(`${name} holds it until the release`, async () => {
    await program(name, STAND_IN);
    const outcome = await keepAwake(machine(system), 60_000);
    expect(outcome).toMatchObject({ awake: true, how: name });
    expect(await textOf(`${name}.args`)).toMatch(new RegExp(`^${args} `));
    const pid = Number(await textOf(`${name}.pid`));
    expect(await livingOf([pid])).toEqual([pid]);
    if (!outcome.awake) return;
    await outcome.release();
    await outcome.release();
    expect(await livingOf([pid])).toEqual([]);
    expect(await textOf(`${name}.end`)).toBe('released');
  });
});

describe('it says why the machine may sleep', () => {
  it('when the program refuses', async () => {
    await program('systemd-inhibit', '#!/bin/sh\necho "Failed to inhibit: Access denied" >&2\necho more >&2\nexit 1\n');
    expect(await keepAwake(machine('linux'))).toMatchObject({
      awake: false,
      why: 'systemd-inhibit: Failed to inhibit: Access denied',
    });
  });

  it('when the program is not there', async () => {
    const outcome = await keepAwake({ ...machine('linux'), path: bin });
    expect(outcome).toMatchObject({ awake: false, why: expect.stringContaining('cannot start systemd-inhibit') });
  });

  it('when the program neither holds nor ends', async () => {
    await program('caffeinate', '#!/bin/sh\necho $$ >"$0.pid"; exec sleep 60\n');
    expect(await keepAwake(machine('darwin'), 3_000)).toMatchObject({ awake: false, why: 'caffeinate: no answer' });
    expect(await livingOf([Number(await textOf('caffeinate.pid'))])).toEqual([]);
  });

  it.each([
    ['freebsd', '14.1'],
    ['linux', '5.15.167.4-microsoft-standard-WSL2'],
  ])('when nothing is known for it (%s %s)', async (system, kernel) => {
    expect(await keepAwake(machine(system, kernel))).toMatchObject({
      awake: false,
      why: 'no known program does this here',
    });
  });
});

it('ends with us, kill -9 included', async () => {
  await program('systemd-inhibit', STAND_IN);
  const fixture = fileURLToPath(new URL('keep-awake.fixture.ts', import.meta.url));
  const us = spawn(process.execPath, ['--import', 'tsx', fixture], {
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [said] = await once(us.stdout, 'data');
    expect(String(said)).toBe('systemd-inhibit\n');
    us.kill('SIGKILL');
    expect(await textOf('systemd-inhibit.end')).toBe('released');
  } finally {
    us.kill('SIGKILL');
  }
});
