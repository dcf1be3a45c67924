import { chmod, lstat, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IsolationInput } from '../port.ts';
import { isSeen, type ViewEntry } from './entry.ts';
import { prepareView, viewOf } from './view.ts';

let base = '';
let home = '';
let root = '';
beforeEach(async () => {
  base = await mkdtemp(join(await realpath(tmpdir()), 'ralph-view-'));
  [home, root] = [join(base, 'una'), join(base, 'una', 'my projects', 'app')];
  await mkdir(root, { recursive: true });
  await mkdir(join(base, 'inside'));
});
afterEach(() => rm(base, { recursive: true }));

async function program(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '#!/bin/sh\n');
  await chmod(path, 0o755);
}

function input(path: readonly string[], more: Partial<IsolationInput['policy']> = {}): IsolationInput {
  return {
    workspace: { root, readOnly: [], writable: [] },
    policy: {
      hosts: [],
      localPorts: [],
      read: [],
      write: [],
      memoryBytes: 2 ** 30,
      processes: 100,
      cpus: null,
      ...more,
    },
    env: { HOME: home, PATH: [...path, '/usr/bin', '/bin'].join(':') },
    openHome: () => Promise.reject(new Error('nothing is started')),
    container: { engine: null, image: null },
  };
}

async function view(given: IsolationInput, file = 'sh'): Promise<readonly ViewEntry[]> {
  const env = { PATH: given.env['PATH'] ?? '' };
  return viewOf(await prepareView(given), join(base, 'inside'), { file, args: [], cwd: root, env, mounts: [] }, null);
}

describe('of the system', () => {
  test('programs and settings are seen, other folders of the root and what is private are not', async () => {
    const seen = await view(input([]));
    expect(isSeen(seen, '/usr/bin/env')).toBe(true);
    expect(isSeen(seen, '/bin/sh')).toBe(true);
    expect(isSeen(seen, '/etc/passwd')).toBe(true);
    expect(isSeen(seen, '/etc/shadow')).toBe(false);
    expect(['/root', '/srv', '/var/lib', '/sys/fs', '/dev'].filter((path) => isSeen(seen, path))).toEqual([]);
    expect(isSeen(seen, process.execPath)).toBe(true);
  });
});

describe('of the home folder', () => {
  test('nothing but toolchains is seen, without their logins', async () => {
    await program(join(home, '.nvm', 'versions', 'node', 'v22.1.0', 'bin', 'node'));
    await program(join(home, '.cargo', 'bin', 'cargo'));
    await writeFile(join(home, '.cargo', 'credentials.toml'), 'token');
    await mkdir(join(home, '.ssh'));
    const seen = await view(input([join(home, '.nvm/versions/node/v22.1.0/bin')]));
    expect(isSeen(seen, join(home, '.nvm/versions/node/v22.1.0/lib'))).toBe(true);
    expect(isSeen(seen, join(home, '.cargo/bin/cargo'))).toBe(true);
    expect(['.cargo/credentials.toml', '.ssh', '.ssh/id'].filter((name) => isSeen(seen, join(home, name)))).toEqual([]);
  });

  test('a credential in a toolchain is covered, and settings without one are not', async () => {
    const put = async (path: string, text: string) => {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    };
    const token = '//registry.example/:_authToken=abcdef123456\n';
    const covered = [
      ['.nvm/versions/node/v22.1.0/etc/npmrc', token],
      ['.nvm/versions/node/v22.1.0/lib/node_modules/npm/npmrc', token],
      ['.asdf/installs/ruby-3.2.0/etc/gemrc', ':rubygems_api_key: abcdef'],
      ['.pyenv/versions/3.12.1/pip.conf', '[global]\nindex-url = https://una:abc@pypi.example/simple\n'],
      ['.pyenv/.git/config', '[remote "origin"]\nurl = https://una:abc@code.example/pyenv\n'],
      ['.sdkman/candidates/maven/3.9.0/conf/settings.xml', '<server><password>abc</password></server>'],
      ['.jenv/.netrc', 'machine x login una password abc'],
    ] as const;
    const open = [
      ['.nvm/versions/node/v20.1.0/etc/npmrc', 'registry=https://registry.example/\n'],
      ['.nvm/versions/node/v22.1.0/lib/node_modules/tool/.npmrc', token],
      ['.sdkman/candidates/maven/3.8.0/conf/settings.xml', '<!-- <password>example</password> --><settings/>'],
    ] as const;
    for (const [path, text] of [...covered, ...open]) await put(path, text);
    const seen = await view(input([]));
    expect(covered.map(([path]) => path).filter((path) => isSeen(seen, join(home, path)))).toEqual([]);
    expect(open.map(([path]) => path).filter((path) => !isSeen(seen, join(home, path)))).toEqual([]);
    // What a person names is shown as it is.
    const own = await view(input([], { read: [join(home, '.nvm/versions')] }));
    expect(isSeen(own, join(home, '.nvm/versions/node/v22.1.0/etc/npmrc'))).toBe(true);
  });

  test('a folder of programs brings itself and what its links lead to, if that is a program', async () => {
    await program(join(home, '.local/share/claude/versions/2.1.0'));
    await program(join(home, 'pkgs/lib/node_modules/tool/cli.js'));
    await mkdir(join(home, 'pkgs/lib/node_modules/needed'));
    await writeFile(join(home, 'key'), 'secret');
    const bin = join(home, '.local', 'bin');
    await mkdir(bin, { recursive: true });
    await symlink('../share/claude/versions/2.1.0', join(bin, 'claude'));
    await symlink(join(home, 'pkgs/lib/node_modules/tool/cli.js'), join(bin, 'tool'));
    await symlink(join(home, 'key'), join(bin, 'key'));
    const seen = await view(input([bin]));
    const wanted = ['.local/bin/claude', '.local/share/claude/versions/2.1.0', 'pkgs/lib/node_modules/needed'];
    expect(wanted.filter((name) => !isSeen(seen, join(home, name)))).toEqual([]);
    expect(['key', '.local/share', 'pkgs'].filter((name) => isSeen(seen, join(home, name)))).toEqual([]);
  });

  test('a program of its own brings what belongs to it; a project with a bin folder is none', async () => {
    for (const name of ['sdk', 'secret-project']) {
      await program(join(base, name, 'bin', 'tool'));
      await mkdir(join(base, name, 'lib'));
    }
    await mkdir(join(base, 'secret-project', '.git'));
    const seen = await view(input([join(base, 'sdk', 'bin'), join(base, 'secret-project', 'bin')]));
    expect(isSeen(seen, join(base, 'sdk', 'lib'))).toBe(true);
    expect(isSeen(seen, join(base, 'secret-project', 'bin'))).toBe(true);
    expect(isSeen(seen, join(base, 'secret-project', 'lib'))).toBe(false);
  });

  test('a PATH that names the home folder, or one above it, brings nothing of it', async () => {
    const seen = await view(input([home, base, '/']));
    expect(isSeen(seen, join(home, 'anything'))).toBe(false);
    expect(isSeen(seen, join(base, 'anything'))).toBe(false);
  });

  test('a link that was planted where something is mounted is removed before who mounts would follow it', async () => {
    await program(join(home, '.cargo', 'bin', 'cargo'));
    await mkdir(join(base, 'elsewhere'));
    await symlink(join(base, 'elsewhere'), join(base, 'inside', '.cargo'));
    const seen = await view(input([]));
    expect((await lstat(join(base, 'inside', '.cargo'))).isDirectory()).toBe(true);
    expect(seen).toContainEqual({ kind: 'write', from: join(base, 'inside', '.cargo'), at: join(home, '.cargo') });
  });

  test('that is in the project cannot be hidden', async () => {
    const given = input([]);
    const inHome = { ...given, workspace: { ...given.workspace, root: base } };
    await expect(prepareView(inHome)).rejects.toThrow('the home folder cannot be hidden from agents');
  });
});

describe('of a command', () => {
  test('its program is seen wherever it is', async () => {
    const tool = join(home, 'tools', 'agent');
    await program(tool);
    expect(isSeen(await view(input([]), tool), tool)).toBe(true);
    expect(isSeen(await view(input([])), tool)).toBe(false);
  });

  test('a link in the work tree brings nothing', async () => {
    const tool = join(home, 'tools', 'agent');
    await program(tool);
    await mkdir(join(root, 'bin'));
    await symlink(tool, join(root, 'bin', 'agent'));
    const seen = await view(input([join(root, 'bin')]), join(root, 'bin', 'agent'));
    expect(isSeen(seen, tool)).toBe(false);
    expect(isSeen(seen, join(root, 'bin', 'agent'))).toBe(true);
  });

  test('what the person named is seen and written, and the work tree lies over it', async () => {
    await mkdir(join(base, 'data'));
    await symlink('data', join(base, 'named'));
    const seen = await view(input([], { read: [join(base, 'named'), dirname(root)], write: [join(base, 'none')] }));
    expect(isSeen(seen, join(base, 'data', 'x'))).toBe(true);
    expect(seen).toContainEqual({ kind: 'read', from: join(base, 'data'), at: join(base, 'named') });
    expect(seen.findLast(({ at }) => at === root)?.kind).toBe('write');
  });
});
