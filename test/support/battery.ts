import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { runBattery } from '../../src/adapters/isolation/battery/run.ts';
import type { Isolation } from '../../src/adapters/isolation/index.ts';
import type { IsolationInput } from '../../src/adapters/isolation/port.ts';

type Options = Parameters<typeof runBattery>[1];

/** What a sandbox made by hand leaves open. */
export type Hole =
  | 'files'
  | 'network'
  | 'processes'
  | 'protected'
  | 'git'
  | 'environment'
  | 'temp'
  | 'privileges'
  | 'key';

/** A sandbox of bwrap, made by hand and without a way to the network, with these holes in it. */
export function sandboxWith(...holes: readonly Hole[]): (input: IsolationInput) => Isolation {
  const has = (hole: Hole) => holes.includes(hole);
  return ({ workspace: { root, readOnly, writable }, env: person, policy: { lending } }) => ({
    name: 'bwrap',
    coversGitDir: true,
    // The key itself takes the place of its stand-in.
    lent: has('key')
      ? (lending?.lent ?? []).map((lent) => ({
          ...lent,
          variables: { ...lent.variables, BATTERY_KEY: lent.credentials[0]?.secret ?? '' },
        }))
      : [],
    reach: 'address',
    probe: async () => ({ available: true, detail: '', fix: [], claims: [] }),
    prepare: async () => {},
    async wrap({ file, args, cwd, env, mounts }) {
      const system = ['/usr', '/bin', '/lib', '/lib64', '/sbin', '/opt'];
      const temp = has('temp') ? ['--bind', '/tmp', '/tmp'] : ['--tmpfs', '/tmp'];
      const base = has('files')
        ? ['--bind', '/', '/']
        : [...system.flatMap((path) => ['--ro-bind-try', path, path]), ...temp];
      const bind = (path: string, how: string) => [how, path, path];
      const covers = [
        ...(has('protected') ? [] : readOnly.flatMap((path) => bind(path, '--ro-bind-try'))),
        ...(has('protected') ? [] : writable.flatMap((path) => bind(path, '--bind-try'))),
        ...(has('git') ? [] : mounts).flatMap(({ from, at, writable }) => [
          writable ? '--bind' : '--ro-bind',
          from,
          at,
        ]),
      ];
      const all = [
        ...['--die-with-parent', '--new-session', '--unshare-user', '--unshare-ipc', '--unshare-uts'],
        ...(has('network') ? [] : ['--unshare-net']),
        ...(has('processes') ? [] : ['--unshare-pid']),
        // mount(8) asks for user 0 before it asks the kernel.
        ...(has('privileges') ? ['--uid', '0', '--gid', '0', '--cap-add', 'ALL'] : ['--cap-drop', 'ALL']),
        ...[...base, '--dev', '/dev', '--proc', '/proc', '--bind', root, root, ...covers],
        ...['--chdir', cwd, '--', file, ...args],
      ];
      const everything = Object.entries({ ...(has('environment') ? person : {}), ...env });
      const given = everything.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
      return { file: 'bwrap', args: all, cwd, env: Object.fromEntries(given), end: async () => {} };
    },
    dispose: async () => {},
  });
}

export interface BatteryGround extends Options {
  /** Folder that holds all of it. */
  readonly top: string;
  remove(): void;
}

/** A battery in the temp folder, with a loop that is as careless as can be: it runs `git status` afterwards. */
export function batteryGround(): BatteryGround {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-battery-test-')));
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: `${top}/una` };
  mkdirSync(env.HOME);
  const git = (root: string, ...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, env: { ...env, GIT_CONFIG_NOSYSTEM: '1' }, stdio: 'ignore' });
  return {
    ...{ top, env, environment: env, state: `${top}/una/.local/state/ralph` },
    container: { engine: null, image: null },
    async repository(root) {
      if (!existsSync(`${root}/.git`)) {
        git(root, 'init', '-q', '-b', 'main');
        git(root, 'add', '-A');
        git(root, '-c', 'user.name=Una', '-c', 'user.email=una@example.com', 'commit', '-qm', 'start');
      }
      return {
        async guest() {
          const from = mkdtempSync(join(top, 'guest-'));
          cpSync(`${root}/.git`, from, { recursive: true, filter: (path) => path !== `${root}/.git/ralph` });
          return [{ from, at: `${root}/.git`, writable: true }];
        },
        async afterwards() {
          git(root, 'status', '--short');
        },
      };
    },
    control: async () => ({ url: 'http://127.0.0.1:9', token: 'token', close: async () => {} }),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}
