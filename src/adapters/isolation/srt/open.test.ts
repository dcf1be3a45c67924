import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../../../../test/support/debian.ts';
import { runCommand } from '../../../platform/index.ts';
import type { InsideCommand, Isolation, IsolationInput, Policy, Refusal } from '../port.ts';
import { findFile } from '../view/programs.ts';
import { openSrt } from './open.ts';
import { insideScript } from './settings.ts';

/** Keeps what it was called with beside itself, and runs the command without any isolation. */
const STAND_IN = `#!/bin/sh
here=$(dirname "$0")
if [ "$1" = --version ]; then echo 1.2.3; exit 0; fi
printf '%s\\n' "$@" >"$here/arguments"
cp "$2" "$here/settings"
shift 3
exec "$@"
`;

interface Settings {
  readonly network: { readonly httpProxyPort: number; readonly socksProxyPort: number };
  readonly filesystem: Readonly<Record<'denyRead' | 'allowRead' | 'allowWrite' | 'denyWrite', readonly string[]>>;
}

const POLICY: Policy = {
  hosts: ['api.example.com'],
  localPorts: [],
  read: [],
  write: [],
  memoryBytes: 1024 ** 3,
  processes: 512,
  cpus: null,
};

let dir = '';
let env: Record<string, string> = {};
let isolation: Isolation | null = null;
const at = (path: string) => join(dir, path);

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralph-srt-test-')));
  for (const folder of ['bin', 'project/.ralph/PRD-1', 'una/tools/bin', 'una/.ssh', 'home']) {
    await mkdir(at(folder), { recursive: true });
  }
  await install('srt', STAND_IN);
  for (const helper of ['bwrap', 'socat', 'rg']) await install(helper, '#!/bin/sh\n');
  env = { PATH: [at('bin'), at('una/tools/bin'), '/usr/bin', '/bin'].join(':'), HOME: at('una') };
});
afterEach(async () => {
  await isolation?.dispose();
  await rm(dir, { recursive: true, force: true });
});

async function install(name: string, text: string): Promise<void> {
  await writeFile(at(`bin/${name}`), text);
  await chmod(at(`bin/${name}`), 0o755);
}

function input(policy: Partial<Policy> = {}, workspace: Partial<IsolationInput['workspace']> = {}): IsolationInput {
  return {
    workspace: { root: at('project'), readOnly: [], writable: [], ...workspace },
    policy: { ...POLICY, ...policy },
    env,
    openHome: async () => ({ path: at('home'), close: async () => {} }),
    container: { engine: null, image: null },
  };
}

async function prepared(from: IsolationInput, localPorts: readonly number[] = [], refusals: Refusal[] = []) {
  isolation = openSrt(from);
  await isolation.prepare({ run: 'run-1', localPorts, onRefusal: (refusal) => refusals.push(refusal) });
  return isolation;
}

/** Runs a shell command in it; what the stand-in was told. */
async function play(within: Isolation, script: string, more: Partial<InsideCommand> = {}) {
  const command = { file: '/bin/sh', args: ['-c', script], cwd: at('project'), env, mounts: [], ...more };
  const wrapped = await within.wrap(command);
  const result = await runCommand(wrapped.file, wrapped.args, { cwd: wrapped.cwd, env: wrapped.env });
  await wrapped.end();
  const [, settingsFile = ''] = (await readFile(at('bin/arguments'), 'utf8')).split('\n');
  const settings = JSON.parse(await readFile(at('bin/settings'), 'utf8')) as Settings;
  return { exitCode: result.exitCode, output: result.stdout.toString('utf8').trim(), settings, settingsFile };
}

describe('srt', () => {
  it('runs a command by its settings, in its folder, and passes the exit code on', async () => {
    const { exitCode, output, settings, settingsFile } = await play(await prepared(input()), 'pwd; exit 5');
    expect({ exitCode, output }).toEqual({ exitCode: 5, output: at('project') });
    expect(settings.filesystem.allowWrite).toEqual(expect.arrayContaining([at('project'), at('home')]));
    expect(settings.filesystem.denyRead).toContain(at('una'));
    expect(settings.filesystem.allowRead).toContain(at('una/tools/bin'));
    expect(settings.filesystem.allowRead.some((path) => at('una/.ssh').startsWith(path))).toBe(false);
    await expect(stat(settingsFile), 'the settings are gone').rejects.toThrow();
  });

  it('gives a home folder of its own, and no variable that leads into the hidden one', async () => {
    const given = { ...env, XDG_CONFIG_HOME: at('una/.config'), NVM_DIR: at('una/tools/bin'), SSH_AUTH_SOCK: '/s' };
    const { output } = await play(
      await prepared(input()),
      'echo "$HOME|$XDG_CONFIG_HOME|$NVM_DIR|$SSH_AUTH_SOCK|$PATH"',
      {
        env: given,
      },
    );
    expect(output).toBe(`${at('home')}||${at('una/tools/bin')}||${env['PATH']}`);
  });

  it('protects what is read-only around what may be written in it', async () => {
    for (const file of ['config.json', 'PRD-1/prd.json', 'PRD-1/progress.md', 'PRD-1/notes.md']) {
      await writeFile(at(`project/.ralph/${file}`), '');
    }
    const within = await prepared(
      input(
        {},
        {
          readOnly: [at('project/.ralph'), at('project/no-such')],
          writable: [at('project/.ralph/PRD-1/prd.json'), at('project/.ralph/PRD-1/progress.md')],
        },
      ),
    );
    const { settings } = await play(within, 'true');
    expect([...settings.filesystem.denyWrite].sort()).toEqual([
      at('project/.ralph/PRD-1/notes.md'),
      at('project/.ralph/config.json'),
    ]);
  });

  it('shows what one command alone may see, at its own place only', async () => {
    await mkdir(at('private'));
    await mkdir(at('guest'));
    const mounts = [
      { from: at('private'), at: at('private'), writable: true },
      { from: at('guest'), at: at('project/.git'), writable: true },
    ];
    const { settings } = await play(await prepared(input()), 'true', { mounts });
    expect(settings.filesystem.allowWrite).toContain(at('private'));
    expect(settings.filesystem.allowWrite).not.toContain(at('guest'));
  });

  it('lets out through our proxy, which tells of every refusal', async () => {
    const refusals: Refusal[] = [];
    const { settings } = await play(await prepared(input(), [4321], refusals), 'true');
    expect(settings.network.socksProxyPort).toBe(4321);
    const status = await new Promise((resolve, reject) => {
      const path = 'http://elsewhere.example/';
      const call = request({ host: '127.0.0.1', port: settings.network.httpProxyPort, path }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      call.once('error', reject).end();
    });
    expect(status).toBe(403);
    expect(refusals).toMatchObject([{ host: 'elsewhere.example', port: 80 }]);
  });

  it('relays the port at which credentials are added into the sandbox, where there are relays', async () => {
    const lent = [{ agent: 'claude', base: 'https://llm.example', credentials: [], variables: {} }];
    const within = await prepared(input({ lending: { lent, hosts: ['llm.example'], localPorts: [] } }));
    await play(within, 'true');
    const isLinux = process.platform === 'linux';
    expect(within.lent).toEqual(isLinux ? lent : []);
    expect((await readFile(at('bin/arguments'), 'utf8')).includes('TCP-LISTEN:3129,')).toBe(isLinux);
  });

  it('leaves nothing behind', async () => {
    const within = await prepared(input());
    const { settings, settingsFile } = await play(within, 'true');
    await within.dispose();
    await within.dispose();
    await expect(stat(join(settingsFile, '..'))).rejects.toThrow();
    const call = request({ host: '127.0.0.1', port: settings.network.httpProxyPort });
    await expect(new Promise((resolve, reject) => void call.once('error', reject).end(resolve))).rejects.toThrow();
  });
});

describe('srt that cannot be used', () => {
  it.each([
    [
      'is not there',
      async () => rm(at('bin/srt')),
      'srt is not installed',
      'npm install -g @anthropic-ai/sandbox-runtime',
    ],
    [
      'does not start with this Node',
      async () => install('srt', '#!/bin/sh\necho "Error: it requires Node 22" >&2; exit 1\n'),
      'requires Node 22',
      'Node 22.12',
    ],
    [
      'is another program',
      async () => install('srt', '#!/bin/sh\necho hello\n'),
      'srt --version failed',
      'npm install',
    ],
  ])('as it %s says so, and how to fix it', async (_, breakIt, problem, fix) => {
    await breakIt();
    env['PATH'] = `${at('bin')}:/usr/bin:/bin`;
    const found = await openSrt(input()).probe();
    expect(found).toMatchObject({ available: false, claims: [], detail: expect.stringContaining(problem) });
    expect(found.fix.join()).toContain(fix);
    await expect(openSrt(input()).prepare({ run: 'r', localPorts: [], onRefusal: () => {} })).rejects.toMatchObject({
      exitCode: 7,
    });
  });

  it('is not available where its claims do not hold: a stand-in isolates nothing', async () => {
    const found = await openSrt(input()).probe();
    expect(found.available).toBe(false);
    expect(found.detail).toContain('srt 1.2.3; this check failed');
  });
});

const real = await findFile('srt', '/', process.env['PATH']);
const missing =
  real === null ? 'srt is not installed' : process.platform === 'linux' ? await needs('bwrap', 'socat') : null;

describe.skipIf(missing)('the real srt', () => {
  it('holds what it claims', async () => {
    env['PATH'] = process.env['PATH'] ?? '';
    const { available, claims, detail } = await openSrt(input()).probe();
    expect(
      claims.filter(({ held }) => !held),
      detail,
    ).toEqual([]);
    expect(available).toBe(true);
  });
});

const NO_RELAYS = { folder: '/sockets', ports: [] };

async function run(command: string, temp = '/tmp', env: Record<string, string> = {}) {
  const script = insideScript({ platform: 'darwin', proxy: 4001, temp, relays: NO_RELAYS });
  const { exitCode, stdout } = await runCommand('/bin/sh', ['-c', script, 'sh', '/bin/sh', '-c', command], {
    cwd: '/',
    env: { PATH: process.env['PATH'], ...env },
  });
  return { exitCode, output: stdout.toString('utf8').trim() };
}

describe('the script around a command inside', () => {
  it('passes the exit code on, and tells a death by a signal as shells do', async () => {
    expect(await run('exit 7')).toMatchObject({ exitCode: 7 });
    expect(await run('kill -TERM $$')).toMatchObject({ exitCode: 143 });
    expect(await run('kill -KILL $$')).toMatchObject({ exitCode: 137 });
  });

  it('leaves the end to the command when it is told to end', async () => {
    const script = 'trap "echo last words; exit 3" TERM; kill -TERM $PPID; sleep 0.2; kill -TERM $$; sleep 5';
    expect(await run(script)).toEqual({ exitCode: 3, output: 'last words' });
  });

  it('names our proxy, and no other', async () => {
    const env = { ALL_PROXY: 'socks5h://localhost:1', GIT_SSH_COMMAND: 'ssh -o ProxyCommand=x' };
    const { output } = await run('echo "$HTTPS_PROXY $http_proxy [$ALL_PROXY$GIT_SSH_COMMAND] $NO_PROXY"', '/tmp', env);
    expect(output).toBe('http://127.0.0.1:4001 http://127.0.0.1:4001 [] 127.0.0.1,localhost,::1');
  });

  it('takes any folder for temporary files', async () => {
    expect((await run('echo "$TMPDIR"', "/tmp/una's folder")).output).toBe("/tmp/una's folder");
  });

  it('goes through the relays of Linux, whose loopback is not the host’s', () => {
    const relays = { folder: '/sockets', ports: [4002, 5432] };
    const script = insideScript({ platform: 'linux', proxy: 4001, temp: '/tmp', relays });
    expect(script).toContain('HTTP_PROXY=http://127.0.0.1:3128');
    expect(script).toContain('TCP-LISTEN:5432,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:/sockets/5432.sock');
    expect(script).not.toContain('4001');
  });
});
