import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Homes, type HomesInput, prepareHomes } from './homes.ts';
import { loginStore, removeLogins } from './store.ts';

/** A login is a text that begins so. */
const login = (text: string) => (text.startsWith('login') ? text : null);
const NEEDS: HomesInput['needs'][number] = {
  config: { folder: '.agent', variable: 'AGENT_HOME', copied: ['NOTES.md', 'settings.json', 'skills'] },
  logins: [
    { path: '.agent/login', login, renewed: true },
    { path: '.agent/settings.json', login },
  ],
  seeds: { '.agent.json': '{}' },
};

let dir = '';
let env: Record<string, string> = {};
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralph-home-')));
  env = { HOME: join(dir, 'una'), XDG_STATE_HOME: join(dir, 'state') };
  await mkdir(env['HOME']!);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}
const text = (path: string) => readFile(path, 'utf8').catch(() => null);
const agents = (rights?: 'make') => prepareHomes({ env, needs: [NEEDS], ...(rights ? { rights } : {}) });
const store = (path: string) => text(join(loginStore(env), path));

/** What a process does in a home folder of its own, and what of it there is then. */
async function process_(homes: Homes, act: (home: string) => Promise<unknown>): Promise<string> {
  const { path, close } = await homes.open();
  await act(path);
  await close();
  return path;
}
/** In the shell of a person. */
async function logIn(word = 'login 1'): Promise<void> {
  await process_(await agents('make'), (home) => writeFile(join(home, '.agent/login'), word));
}

describe('the home folder of a process inside', () => {
  it('is private, new each time and gone afterwards', async () => {
    const homes = await agents();
    const first = await process_(homes, async (home) => {
      expect((await stat(home)).mode & 0o777).toBe(0o700);
      expect((await stat(dirname(home))).mode & 0o777).toBe(0o700);
      for (const name of ['.bashrc', 'CLAUDE.md', '.local/lib/usercustomize.py', '.agent/NOTES.md', '.agent/x']) {
        await mkdir(dirname(join(home, name)), { recursive: true });
        await writeFile(join(home, name), 'planted');
      }
    });
    expect(existsSync(first)).toBe(false);
    await process_(homes, async (home) => {
      expect(home).not.toBe(first);
      expect(readdirSync(home).sort()).toEqual(['.agent', '.agent.json']);
      expect(readdirSync(join(home, '.agent'))).toEqual([]);
    });
  });

  it('is empty for everything that is no agent, and no login is there', async () => {
    await logIn();
    const checks = await prepareHomes({ env, needs: [] });
    await process_(checks, async (home) => {
      expect(readdirSync(home)).toEqual([]);
      await mkdir(join(home, '.agent'));
      await writeFile(join(home, '.agent/login'), 'login of a check');
    });
    expect(await store('.agent/login')).toBe('login 1');
  });

  it('gets the named parts of the settings as they were at the start, and neither a login nor anything else', async () => {
    await put('una/.agent/NOTES.md', 'notes');
    await put('una/.agent/skills/x/run.sh', 'true');
    await put('una/.agent/login', 'login of the person');
    await put('una/.ssh/id_rsa', 'key');
    const homes = await agents();
    await put('una/.agent/NOTES.md', 'changed');
    await process_(homes, async (home) => {
      expect(await text(join(home, '.agent/NOTES.md'))).toBe('notes');
      expect(await text(join(home, '.agent/skills/x/run.sh'))).toBe('true');
      expect(await text(join(home, '.agent.json'))).toBe('{}');
      for (const none of ['.agent/login', '.ssh/id_rsa']) expect(await text(join(home, none))).toBeNull();
      expect((await stat(join(home, '.agent/NOTES.md'))).mode & 0o777).toBe(0o600);
    });
  });

  it('takes the settings from where their variable says', async () => {
    await put('elsewhere/NOTES.md', 'from elsewhere');
    await put('other/.agent/NOTES.md', 'from the other home');
    const notes = async (needs: HomesInput['needs'][number]) => {
      let found: string | null = null;
      await process_(await prepareHomes({ env, needs: [needs] }), async (home) => {
        found = await text(join(home, '.agent/NOTES.md'));
      });
      return found;
    };
    env['AGENT_HOME'] = join(dir, 'elsewhere');
    expect(await notes(NEEDS)).toBe('from elsewhere');
    env['AGENT_HOME'] = join(dir, 'other');
    expect(await notes({ ...NEEDS, config: { ...NEEDS.config!, variableNamesHome: true } })).toBe(
      'from the other home',
    );
  });

  it('leaves settings out that hold a key, that are huge, or that a link leads to from outside, and says so', async () => {
    await put('una/.agent/settings.json', '{"models":[{"apiKey":"abcdef"}]}');
    await put('una/.agent/shared/SKILL.md', 'shared');
    await put('una/.ssh/id_rsa', 'key');
    await mkdir(join(dir, 'una/.agent/skills'));
    await symlink('../shared', join(dir, 'una/.agent/skills/shared'));
    await symlink(join(dir, 'una/.ssh'), join(dir, 'una/.agent/skills/ssh'));
    await symlink('/dev/zero', join(dir, 'una/.agent/skills/zero'));
    await symlink('.', join(dir, 'una/.agent/skills/round'));
    await put('una/.agent/NOTES.md', 'x'.repeat(1024 ** 2 + 1));
    const homes = await agents();
    await process_(homes, async (home) => {
      expect(await text(join(home, '.agent/skills/shared/SKILL.md'))).toBe('shared');
      expect(lstatSync(join(home, '.agent/skills/shared')).isDirectory()).toBe(true);
      for (const none of ['settings.json', 'skills/ssh/id_rsa', 'NOTES.md']) {
        expect(await text(join(home, '.agent', none)), none).toBeNull();
      }
    });
    const told = homes.notices.join('\n');
    expect(told).toMatch(/settings\.json holds a key or a password/);
    expect(told).toMatch(/skills\/ssh is a link to a place outside/);
    expect(told).toMatch(/NOTES\.md is larger/);
    expect(told).not.toContain('abcdef');
  });

  it('is cleaned without following what a process left', async () => {
    await put('precious/a', 'precious');
    await process_(await agents(), async (home) => {
      await symlink(join(dir, 'precious'), join(home, 'link'));
      await rename(join(home, '.agent'), join(home, 'moved'));
      await symlink(join(dir, 'precious'), join(home, '.agent'));
    });
    expect(await text(join(dir, 'precious/a'))).toBe('precious');
  });

  it('of a process that was killed goes with the next start, and that of one at work stays', async () => {
    const { path } = await (await agents()).open();
    const all = dirname(dirname(path));
    await put('state/ralph/isolation/homes/of-killed/home-1/file', 'left');
    const long = new Date(Date.now() - 3_600_000);
    for (const folder of [join(all, 'of-killed'), dirname(path)]) await utimes(folder, long, long);
    vi.resetModules();
    const another = await import('./homes.ts');
    await another.prepareHomes({ env, needs: [] });
    expect(existsSync(join(all, 'of-killed'))).toBe(false);
    expect(existsSync(path)).toBe(true);
  });

  it('says where it could not be made', async () => {
    await put('state', 'a file');
    await expect(agents()).rejects.toMatchObject({ name: 'StateError', facts: { where: expect.any(String) } });
  });
});

describe('a login', () => {
  it('that a person made in a shell is there for every agent, and its renewal is kept', async () => {
    await logIn();
    await process_(await agents(), async (home) => {
      expect(await text(join(home, '.agent/login'))).toBe('login 1');
      expect(lstatSync(join(home, '.agent/login')).mode & 0o777).toBe(0o600);
      // As a client does it that is careful.
      await writeFile(join(home, '.agent/new'), 'login 2');
      await rename(join(home, '.agent/new'), join(home, '.agent/login'));
    });
    expect(await store('.agent/login')).toBe('login 2');
  });

  it('that an agent makes is not kept, nor what is none, nor a link, nor something huge', async () => {
    await process_(await agents(), (home) => writeFile(join(home, '.agent/login'), 'login of an agent'));
    expect(await store('.agent/login')).toBeNull();
    await logIn();
    const planted: readonly ((at: string) => Promise<unknown>)[] = [
      (at) => writeFile(at, 'a program'),
      (at) => writeFile(at, `login ${'x'.repeat(300_000)}`),
      (at) => rm(at).then(() => symlink(join(dir, 'secret'), at)),
      (at) => rm(at).then(() => mkdir(at)),
      (at) => rename(dirname(at), `${dirname(at)}-moved`).then(() => symlink(dir, dirname(at))),
      (at) => rm(at),
    ];
    await put('secret', 'login of the person');
    await put('login', 'login of the person');
    const homes = await agents();
    for (const plant of planted) await process_(homes, (home) => plant(join(home, '.agent/login')));
    expect(await store('.agent/login')).toBe('login 1');
  });

  it('that one agent renews is known to another at work', async () => {
    await logIn();
    const homes = await agents();
    const [one, two] = [await homes.open(), await homes.open()];
    await writeFile(join(one.path, '.agent/login'), 'login 2');
    await vi.waitFor(() => expect(readFileSync(join(two.path, '.agent/login'), 'utf8')).toBe('login 2'), 600_000);
    await rename(join(two.path, '.agent'), join(two.path, 'moved'));
    await symlink(dir, join(two.path, '.agent'));
    await put('login', 'precious');
    await writeFile(join(one.path, '.agent/login'), 'login 3');
    await vi.waitFor(async () => expect(await store('.agent/login')).toBe('login 3'), 600_000);
    await two.close();
    await one.close();
    expect(await text(join(dir, 'login'))).toBe('precious');
    expect(await store('.agent/login')).toBe('login 3');
  });

  it('is not put over a file of the person, and goes when a person logs out', async () => {
    await logIn();
    await put('una/.agent/settings.json', '{"theme":"dark"}');
    await process_(await agents('make'), async (home) => {
      expect(await text(join(home, '.agent/settings.json'))).toBe('{"theme":"dark"}');
      await writeFile(join(home, '.agent/settings.json'), 'login by settings');
      await rm(join(home, '.agent/login'));
    });
    expect(await store('.agent/settings.json')).toBeNull();
    expect(await store('.agent/login')).toBeNull();
  });

  it('is removed for all agents, once', async () => {
    await logIn();
    expect(await removeLogins(env)).toBe(true);
    expect(await removeLogins(env)).toBe(false);
    await process_(await agents(), async (home) => expect(existsSync(join(home, '.agent/login'))).toBe(false));
  });
});
