import { expect, test } from 'vitest';
import { renderView } from './mounts.ts';

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
