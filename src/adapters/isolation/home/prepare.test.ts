import { lstat, mkdir, mkdtemp, readFile, readlink, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HomeNeeds, homePath, prepareHome, removeHome } from './prepare.ts';

const NEEDS: HomeNeeds = {
  config: { folder: '.agent', variable: 'AGENT_HOME', copied: ['NOTES.md', 'settings.json', 'skills'] },
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
const prepare = (needs: readonly HomeNeeds[] = [NEEDS]) => prepareHome({ env, backend: 'bwrap', needs });
const inside = (path: string) => join(homePath(env, 'bwrap'), path);
const text = (path: string) => readFile(inside(path), 'utf8').catch(() => null);

describe('the home folder of the inside', () => {
  it('is private, and one for each backend', async () => {
    const { path, notices } = await prepare();
    expect(path).toBe(join(dir, 'state/ralph/isolation/bwrap/home'));
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    expect(notices).toEqual([]);
    expect(homePath({ HOME: '/home/una' }, 'srt')).toBe('/home/una/.local/state/ralph/isolation/srt/home');
    expect(homePath({ HOME: '/home/una', XDG_STATE_HOME: 'here' }, 'srt')).toContain('/home/una/.local/state');
  });

  it('gets the named parts of the settings, and neither a login nor anything else', async () => {
    await put('una/.agent/NOTES.md', 'notes');
    await put('una/.agent/skills/x/run.sh', 'true');
    await put('una/.agent/.credentials.json', 'login');
    await put('una/.ssh/id_rsa', 'key');
    await put('una/.gitconfig', '[credential]');
    const { path } = await prepare();
    expect(await text('.agent/NOTES.md')).toBe('notes');
    expect(await text('.agent/skills/x/run.sh')).toBe('true');
    expect(await text('.agent.json')).toBe('{}');
    for (const none of ['.agent/.credentials.json', '.ssh/id_rsa', '.gitconfig']) expect(await text(none)).toBeNull();
    expect((await stat(join(path, '.agent/NOTES.md'))).mode & 0o777).toBe(0o600);
  });

  it('takes the settings from where their variable says', async () => {
    await put('elsewhere/NOTES.md', 'from elsewhere');
    await put('other/.agent/NOTES.md', 'from the other home');
    env['AGENT_HOME'] = join(dir, 'elsewhere');
    await prepare();
    expect(await text('.agent/NOTES.md')).toBe('from elsewhere');
    env['AGENT_HOME'] = join(dir, 'other');
    await prepare([{ ...NEEDS, config: { ...NEEDS.config!, variableNamesHome: true } }]);
    expect(await text('.agent/NOTES.md')).toBe('from the other home');
  });

  it('replaces what was copied whole at every start, and keeps what was made inside', async () => {
    await put('una/.agent/skills/old/SKILL.md', 'old');
    await prepare();
    await writeFile(inside('.agent/skills/planted.md'), 'by an agent');
    await writeFile(inside('.agent/NOTES.md'), 'by an agent');
    await writeFile(inside('.agent/.credentials.json'), 'login');
    await writeFile(inside('.agent.json'), '{"account":1}');
    await rm(join(dir, 'una/.agent/skills/old'), { recursive: true });
    await put('una/.agent/skills/new/SKILL.md', 'new');
    await prepare();
    expect(await text('.agent/skills/new/SKILL.md')).toBe('new');
    for (const gone of ['skills/old/SKILL.md', 'skills/planted.md', 'NOTES.md']) {
      expect(await text(`.agent/${gone}`), gone).toBeNull();
    }
    expect(await text('.agent/.credentials.json')).toBe('login');
    expect(await text('.agent.json')).toBe('{"account":1}');
  });

  it('keeps a settings file that a login inside wrote, as long as the person has none', async () => {
    const needs = [{ ...NEEDS, seeds: { '.agent/settings.json': '{}' } }];
    await prepare(needs);
    await writeFile(inside('.agent/settings.json'), '{"login":"kind"}');
    await prepare(needs);
    expect(await text('.agent/settings.json')).toBe('{"login":"kind"}');
    await put('una/.agent/settings.json', '{"theme":"dark"}');
    await prepare(needs);
    expect(await text('.agent/settings.json')).toBe('{"theme":"dark"}');
  });

  it('leaves settings out that hold a key, and says so', async () => {
    await put('una/.agent/settings.json', '{"models":[{"apiKey":"abcdef"}]}');
    const { notices } = await prepare();
    expect(await text('.agent/settings.json')).toBeNull();
    expect(notices).toEqual([expect.stringContaining('settings.json holds a key or a password')]);
    expect(notices.join()).not.toContain('abcdef');
  });

  it('follows links inside the configuration folder only, and copies no special or huge file', async () => {
    await put('una/.agent/shared/SKILL.md', 'shared');
    await put('una/.ssh/id_rsa', 'key');
    await mkdir(join(dir, 'una/.agent/skills'));
    await symlink('../shared', join(dir, 'una/.agent/skills/shared'));
    await symlink(join(dir, 'una/.ssh'), join(dir, 'una/.agent/skills/ssh'));
    await symlink('/dev/zero', join(dir, 'una/.agent/skills/zero'));
    await symlink('.', join(dir, 'una/.agent/skills/round'));
    await put('una/.agent/NOTES.md', 'x'.repeat(1024 ** 2 + 1));
    const { notices } = await prepare();
    expect(await text('.agent/skills/shared/SKILL.md')).toBe('shared');
    expect((await lstat(inside('.agent/skills/shared'))).isDirectory()).toBe(true);
    expect(await text('.agent/skills/ssh/id_rsa')).toBeNull();
    expect(await text('.agent/NOTES.md')).toBeNull();
    expect(notices.join('\n')).toMatch(/skills\/ssh is a link to a place outside/);
    expect(notices.join('\n')).toMatch(/NOTES\.md is larger/);
  });

  it.each(['.agent', '.agent/skills', '.agent/NOTES.md', '.agent.json'])(
    'writes and removes nothing through a link that was left inside as %s',
    async (planted) => {
      await put('una/.agent/NOTES.md', 'notes');
      await put('una/.agent/skills/a/SKILL.md', 'a');
      await put('precious/skills/a/SKILL.md', 'precious');
      await put('precious/NOTES.md', 'precious');
      const { path } = await prepare();
      await rm(inside(planted), { recursive: true });
      const target = join(dir, planted === '.agent/skills' ? 'precious/skills' : 'precious');
      await symlink(
        planted.includes('.md') || planted.endsWith('.json') ? join(target, 'NOTES.md') : target,
        inside(planted),
      );
      await prepare();
      expect(await text('.agent/NOTES.md')).toBe('notes');
      expect(await readFile(join(dir, 'precious/skills/a/SKILL.md'), 'utf8')).toBe('precious');
      expect(await readFile(join(dir, 'precious/NOTES.md'), 'utf8')).toBe('precious');
      await expect(readlink(join(path, planted))).rejects.toThrow();
    },
  );

  it('can be prepared by two runs at once', async () => {
    for (let i = 0; i < 40; i++) await put(`una/.agent/skills/s${i}/SKILL.md`, String(i));
    await Promise.all(Array.from({ length: 4 }, () => prepare()));
    for (let i = 0; i < 40; i++) expect(await text(`.agent/skills/s${i}/SKILL.md`)).toBe(String(i));
  });

  it('goes with everything in it', async () => {
    const { path } = await prepare();
    await removeHome(env, 'bwrap');
    await expect(stat(path)).rejects.toThrow();
    await removeHome(env, 'bwrap');
  });

  it('says where it could not be made', async () => {
    await put('state', 'a file');
    await expect(prepare()).rejects.toMatchObject({ name: 'StateError', facts: { where: homePath(env, 'bwrap') } });
  });
});
