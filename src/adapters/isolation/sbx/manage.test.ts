import { describe, expect, test } from 'vitest';
import type { IsolationInput } from '../port.ts';
import { createSbx, removeSbx, sbxName } from './manage.ts';
import { inputFor, type StandInOptions, standIn } from './stand-in.fixture.ts';

async function create(options: StandInOptions, denyAll = true, change: Partial<IsolationInput['policy']> = {}) {
  const sbx = await standIn(options);
  const told: string[] = [];
  const input = inputFor(sbx.project, sbx.env, ['api.example.com']);
  const changed = { ...input, policy: { ...input.policy, ...change } };
  const made = createSbx(changed, (line) => told.push(line), { denyAll });
  return { ...sbx, input: changed, told, made };
}

describe('the name of a sandbox', () => {
  test('is the same every time, tells the folder, and has no character that sbx refuses', () => {
    expect(sbxName('/projects/My_App v2')).toMatch(/^ralph-my-app-v2-[0-9a-f]{8}$/);
    expect(sbxName('/projects/My_App v2')).toBe(sbxName('/projects/My_App v2'));
    expect(sbxName('/projects/app')).not.toBe(sbxName('/home/una/app'));
    expect(sbxName('/projects/項目')).toMatch(/^ralph-[0-9a-f]{8}$/);
    expect(sbxName(`/projects/${'x'.repeat(200)}`).length).toBeLessThan(50);
  });
});

describe('ralph sandbox create', () => {
  test('makes the sandbox, allows the hosts, and says what is missing in it', async () => {
    const { made, name, project, lines, told } = await create({
      played: { exec: { stdout: 'claude is not in the sandbox\n' } },
    });
    expect(await made).toBe(name);
    const all = await lines();
    expect(all).toContain(`create --name ${name} --memory 4096m -q claude ${project}`);
    expect(all.filter((line) => line.startsWith('policy allow'))).toEqual([
      `policy allow network --sandbox ${name} api.example.com`,
    ]);
    expect(all.at(-1)).toMatch(new RegExp(`^exec ${name} bash -c git config --global --add safe.directory`));
    expect(told.join('\n')).toContain('claude is not in the sandbox');
  });

  test('gives it more folders and processors where the settings say so', async () => {
    const { made, name, project, lines } = await create({}, true, {
      cpus: 1.5,
      memoryBytes: 2 ** 50,
      read: ['/usr/share', '/no-such-folder'],
      write: ['/var/tmp'],
    });
    await made;
    expect(await lines()).toContain(
      `create --name ${name} --memory 32768m --cpus 2 -q claude ${project} /var/tmp /usr/share:ro`,
    );
  });

  test('is content with the one that is there', async () => {
    const { made, name, lines, told } = await create({ prepared: 'stopped' });
    expect(await made).toBe(name);
    expect(told).toContain(`${name} already exists`);
    expect((await lines()).some((line) => line.startsWith('create'))).toBe(false);
  });

  test('sets deny-all where the machine has no policy, with consent', async () => {
    const { made, state, lines } = await create({ policy: 'none' });
    await made;
    expect((await state())['policy']).toBe('deny-all');
    expect(await lines()).toContain('policy init deny-all');
  });

  test.each<{ name: string; options: StandInOptions; denyAll: boolean; says: RegExp }>([
    { name: 'no policy and no consent', options: { policy: 'none' }, denyAll: false, says: /no network policy yet/ },
    {
      name: 'a policy that is open',
      options: { policy: 'allow-all' },
      denyAll: true,
      says: /does not refuse unknown hosts/,
    },
    {
      name: 'a sandbox of the name for another folder',
      options: { prepared: 'running', workspaces: ['/projects/app'] },
      denyAll: true,
      says: /for another folder/,
    },
    {
      name: 'a name that was taken meanwhile',
      options: { played: { create: { exitCode: 1, stderr: 'ERROR: sandbox already exists\n' } } },
      denyAll: true,
      says: /of this name already/,
    },
    {
      name: 'an image that cannot be fetched',
      options: { played: { create: { exitCode: 1, stderr: 'pulling…\nERROR: no space left on device\n' } } },
      denyAll: true,
      says: /sbx failed/,
    },
  ])('refuses with exit 7 and the reason: $name', async ({ options, denyAll, says }) => {
    const { made } = await create(options, denyAll);
    const error = await made.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ exitCode: 7, facts: { what: expect.stringMatching(says) } });
    expect((error as { facts: { fix: string[] } }).facts.fix).not.toEqual([]);
  });
});

test('a sandbox is found, removed, and then gone', async () => {
  const { project, env, name, lines } = await standIn({ prepared: 'running' });
  const input = inputFor(project, env);
  expect(await removeSbx(input)).toBe(true);
  expect(await lines()).toContain(`rm --force ${name}`);
  expect(await removeSbx(input)).toBe(false);
});
