import { expect, test } from 'vitest';
import type { Engine } from './engine.ts';
import { containerEnvironment, renderView, runArguments } from './run-arguments.ts';

const ALL = { memory: true, processes: true, cpus: true };
const PODMAN: Engine = {
  ...{ name: 'podman', version: '5.4.0', global: [], run: [], piped: [] },
  ...{ seccompProfile: null, rootless: false, remapsUsers: false, limits: ALL },
};

function flagsOf(change: Partial<Parameters<typeof runArguments>[0]>): string {
  const args = runArguments({
    engine: PODMAN,
    name: 'ralph-r1-7-1',
    labels: { 'ralph-loop.run': 'r1' },
    image: 'localhost/ralph-skeleton:0',
    hostPrograms: true,
    mounts: ['--tmpfs', '/tmp'],
    environment: ['--env', 'TOKEN'],
    cwd: '/projects/app',
    user: { uid: 1000, gid: 100 },
    policy: { memoryBytes: 1024, processes: 50, cpus: 1.5 },
    restrictions: ['--ulimit', 'core=0:0'],
    file: '/bin/sh',
    args: ['-c', 'true'],
    ...change,
  });
  return ` ${args.join(' ')} `;
}

test('a container has no network, no capabilities and a read-only root, and goes when it ends', () => {
  const flags = flagsOf({});
  for (const flag of ['--rm', '--network none', '--cap-drop ALL', '--security-opt no-new-privileges', '--read-only'])
    expect(flags).toContain(` ${flag} `);
  expect(flags).toContain(' --pull never ');
});

test('the command comes last, whatever entry point the image has', () => {
  expect(flagsOf({})).toMatch(/ --entrypoint \/bin\/sh localhost\/ralph-skeleton:0 -c true $/);
});

test.each([
  ['Podman as root', PODMAN, ' --user 1000:100 '],
  ['rootless Podman', { ...PODMAN, rootless: true }, ' --userns keep-id --user 1000:100 '],
  ['Docker', { ...PODMAN, name: 'docker' }, ' --user 1000:100 '],
  ['rootless Docker', { ...PODMAN, name: 'docker', rootless: true }, ' --user 0:0 '],
  ['Docker that maps users', { ...PODMAN, name: 'docker', remapsUsers: true }, ' --userns host --user 1000:100 '],
] as const)('%s: files belong to who started the run', (_, engine, expected) => {
  expect(flagsOf({ engine })).toContain(expected);
});

test('limits are set where the engine can hold them, swap included', () => {
  expect(flagsOf({})).toContain(' --memory 1024b --memory-swap 1024b --pids-limit 50 --cpus 1.5 ');
  expect(flagsOf({ policy: { memoryBytes: 1, processes: 1, cpus: null } })).not.toContain('--cpus');
  const none = flagsOf({ engine: { ...PODMAN, limits: { memory: false, processes: false, cpus: false } } });
  for (const flag of ['--memory', '--pids-limit', '--cpus']) expect(none).not.toContain(flag);
});

test('only Podman knows the flags of Podman', () => {
  expect(flagsOf({})).toContain(' --http-proxy=false --no-hosts --passwd=false ');
  expect(flagsOf({ hostPrograms: false })).not.toContain('--passwd');
  expect(flagsOf({ engine: { ...PODMAN, name: 'docker' } })).not.toMatch(/http-proxy|no-hosts|passwd/);
});

const PERSON = { HOME: '/home/una', PATH: '/usr/bin', XDG_RUNTIME_DIR: '/run/user/1000', TOKEN: 'of the person' };

test('values are in the environment of the client, and only names on its command line', () => {
  const { flags, client } = containerEnvironment({ API_KEY: 'secret', GOOGLE_API_KEY: 'too' }, PERSON);
  expect(flags.join(' ')).toBe('--env API_KEY --env GOOGLE_API_KEY --env RALPH_RUN_ID --env RALPH_WARDEN');
  expect(client).toMatchObject({ API_KEY: 'secret', GOOGLE_API_KEY: 'too' });
});

test("the client keeps the person's home, path and sockets, whatever they are inside", () => {
  const inside = { HOME: '/home/agent', PATH: '/opt/bin', TMPDIR: '/tmp' };
  const { flags, client } = containerEnvironment(inside, { ...PERSON, DOCKER_HOST: 'unix:///run/docker.sock' });
  expect(flags).toEqual(
    expect.arrayContaining(['--env', 'HOME=/home/agent', 'PATH=/opt/bin', 'TMPDIR=/tmp', 'RALPH_RUN_ID']),
  );
  expect(client).toEqual({
    HOME: '/home/una',
    PATH: '/usr/bin',
    XDG_RUNTIME_DIR: '/run/user/1000',
    DOCKER_HOST: 'unix:///run/docker.sock',
  });
});

test("nothing else of the person's environment reaches the client", () => {
  expect(containerEnvironment({}, PERSON).client).not.toHaveProperty('TOKEN');
});

test('what marks the processes of a run is always asked for, and never given a value of the caller', () => {
  const { flags, client } = containerEnvironment({ RALPH_RUN_ID: 'other' }, PERSON);
  expect(flags).toEqual(['--env', 'RALPH_RUN_ID', '--env', 'RALPH_WARDEN']);
  expect(client).not.toHaveProperty('RALPH_RUN_ID');
});

const COVERS = { file: '/masks/file', folder: '/masks/folder', memoryBytes: 1024 };

test('folders are bound read-only or writable, hidden things covered, and memory mounted', () => {
  const { flags } = renderView(
    [
      { kind: 'read', from: '/usr', at: '/usr' },
      { kind: 'empty', at: '/tmp' },
      { kind: 'mask', at: '/usr/secret', of: 'file' },
      { kind: 'mask', at: '/usr/secrets', of: 'folder' },
      { kind: 'write', from: '/projects/app', at: '/projects/app' },
    ],
    COVERS,
    [],
  );
  expect(flags).toEqual([
    ...['--mount', 'type=bind,source=/usr,target=/usr,readonly'],
    ...['--tmpfs', '/tmp:rw,exec,mode=1777,size=1024'],
    ...['--mount', 'type=bind,source=/masks/file,target=/usr/secret,readonly'],
    ...['--mount', 'type=bind,source=/masks/folder,target=/usr/secrets,readonly'],
    ...['--mount', 'type=bind,source=/projects/app,target=/projects/app'],
  ]);
});

test('what a later entry covers is left out, as engines order mounts by depth and refuse two at one place', () => {
  const { flags } = renderView(
    [
      { kind: 'read', from: '/home/una/app/old', at: '/home/una/app/old' },
      { kind: 'read', from: '/x', at: '/home/una/app' },
      { kind: 'write', from: '/home/una/app', at: '/home/una/app' },
      { kind: 'read', from: '/home/una/app/.git', at: '/home/una/app/.git' },
      { kind: 'write', from: '/guest', at: '/home/una/app/.git' },
    ],
    COVERS,
    [],
  );
  expect(flags).toEqual([
    ...['--mount', 'type=bind,source=/home/una/app,target=/home/una/app'],
    ...['--mount', 'type=bind,source=/guest,target=/home/una/app/.git'],
  ]);
});

test('a folder that is only there covers nothing', () => {
  const { flags, skeleton } = renderView(
    [
      { kind: 'read', from: '/nix', at: '/run/current-system/sw' },
      { kind: 'folder', at: '/run' },
    ],
    COVERS,
    [],
  );
  expect(flags).toEqual(['--mount', 'type=bind,source=/nix,target=/run/current-system/sw,readonly']);
  expect(skeleton.folders).toEqual(['/run']);
});

test('a file system that is mounted below a read-only folder is read-only too', () => {
  const { flags } = renderView(
    [
      { kind: 'read', from: '/usr', at: '/usr' },
      { kind: 'write', from: '/projects/app', at: '/projects/app' },
    ],
    COVERS,
    ['/usr/local', '/usr/localhost', '/projects/app/data', '/usr'],
  );
  expect(flags.filter((flag) => flag !== '--mount')).toEqual([
    'type=bind,source=/usr,target=/usr,readonly',
    'type=bind,source=/usr/local,target=/usr/local,readonly',
    'type=bind,source=/usr/localhost,target=/usr/localhost,readonly',
    'type=bind,source=/projects/app,target=/projects/app',
  ]);
});

test('links and empty folders are of the image, unless something is mounted over them', () => {
  const { skeleton } = renderView(
    [
      { kind: 'link', at: '/bin', target: '/usr/bin' },
      { kind: 'empty', at: '/tmp' },
      { kind: 'empty', at: '/tmp/deep' },
      { kind: 'folder', at: '/run' },
      { kind: 'link', at: '/tmp/link', target: '/x' },
    ],
    COVERS,
    [],
  );
  expect(skeleton).toEqual({ folders: ['/run'], temporary: ['/tmp'], links: new Map([['/bin', '/usr/bin']]) });
});

test('a path may hold commas, colons and quotes', () => {
  const at = '/projects/a,b:c"d e';
  const { flags } = renderView([{ kind: 'write', from: at, at }], COVERS, []);
  expect(flags[1]).toBe('type=bind,"source=/projects/a,b:c""d e","target=/projects/a,b:c""d e"');
});
