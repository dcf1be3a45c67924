import { expect, test } from 'vitest';
import { tempTree } from '../adapters/workspace/temp-tree.fixture.ts';
import { exists, readText } from '../platform/index.ts';
import { memoryIo } from '../surfaces/terminal/io.fixture.ts';
import { hooksStatus, installHooks, uninstallHooks } from './hooks.ts';
import type { RawFlags } from './shared/flags.ts';

const LOCAL = '.claude/settings.local.json';
const OTHERS =
  '{"permissions":{"allow":["Read"]},\n   "hooks": {"Stop": [{"hooks":[{"type":"command","command":"bell"}]}]}}\n';

type Command = (args: readonly string[], flags: RawFlags, io: ReturnType<typeof memoryIo>) => Promise<number>;

async function run(command: Command, root: string, flags: RawFlags = {}) {
  const io = memoryIo({ cwd: root, env: { HOME: `${root}/home` } });
  const code = await command([], flags, io);
  return { code, out: io.out() };
}

test('what was installed is taken out again without a trace', async () => {
  const root = await tempTree({ '.git/': '' });
  expect((await run(installHooks, root)).out).toContain(`wrote  ${root}/${LOCAL}`);
  expect(await readText(`${root}/${LOCAL}`)).toContain('hook.cjs');
  expect((await run(installHooks, root)).out).toContain('already');
  expect((await run(uninstallHooks, root)).out).toContain('removed the hooks');
  expect(await exists(`${root}/${LOCAL}`)).toBe(false);
});

test('a file that was there is backed up, and comes back byte for byte', async () => {
  const root = await tempTree({ '.git/': '', [LOCAL]: OTHERS });
  await run(installHooks, root);
  expect(await readText(`${root}/${LOCAL}.before-ralph`)).toBe(OTHERS);
  await run(uninstallHooks, root);
  expect(await readText(`${root}/${LOCAL}`)).toBe(OTHERS);
  expect(await exists(`${root}/${LOCAL}.before-ralph`)).toBe(false);
});

test('changes that came after the installation stay', async () => {
  const root = await tempTree({ '.git/': '', [LOCAL]: OTHERS });
  await run(installHooks, root);
  const { writeAtomic } = await import('../platform/files/atomic-file.ts');
  const settings = JSON.parse((await readText(`${root}/${LOCAL}`)) ?? '');
  await writeAtomic(`${root}/${LOCAL}`, JSON.stringify({ ...settings, model: 'opus' }));
  expect((await run(uninstallHooks, root)).out).toContain('.before-ralph');
  expect(JSON.parse((await readText(`${root}/${LOCAL}`)) ?? '')).toEqual({ ...JSON.parse(OTHERS), model: 'opus' });
});

test('from a folder of the project the settings of its root are meant', async () => {
  const root = await tempTree({ '.git/': '', 'src/deep/': '' });
  await run(installHooks, `${root}/src/deep`);
  expect(await exists(`${root}/${LOCAL}`)).toBe(true);
});

test('--user writes the file that the client reads in the home folder', async () => {
  const root = await tempTree({ '.git/': '', 'home/': '' });
  await run(installHooks, root, { user: true });
  expect(await exists(`${root}/home/.claude/settings.json`)).toBe(true);
  expect(await exists(`${root}/${LOCAL}`)).toBe(false);
});

test('broken JSON is refused with file and line, and not touched', async () => {
  const root = await tempTree({ '.git/': '', [LOCAL]: '{\n  "a": 1,\n}\n' });
  await expect(run(installHooks, root)).rejects.toMatchObject({
    facts: { where: expect.stringMatching(/settings\.local\.json:\d+$/) },
  });
  expect(await readText(`${root}/${LOCAL}`)).toBe('{\n  "a": 1,\n}\n');
});

test('older string entries are found by status and fixed by install', async () => {
  const root = await tempTree({ '.git/': '', [LOCAL]: '{"hooks": {"Stop": "bell"}}' });
  const found = await run(hooksStatus, root);
  expect(found.code).toBe(2);
  expect(found.out).toMatch(/settings\.local\.json:1: the hook "bell" is written as a string[\s\S]*fix: /);
  expect((await run(installHooks, root)).out).toContain('fixed older hook entries');
  expect((await run(hooksStatus, root)).code).toBe(0);
});

test('status tells where the hooks are, and which are of another installation', async () => {
  const root = await tempTree({ '.git/': '' });
  await run(installHooks, root);
  const places = JSON.parse((await run(hooksStatus, root, { json: true })).out);
  expect(places).toMatchObject([
    { place: 'project', hooks: 'installed', faults: [] },
    { place: 'user', hooks: 'none', faults: [] },
  ]);
  const { writeAtomic } = await import('../platform/files/atomic-file.ts');
  const text = (await readText(`${root}/${LOCAL}`)) ?? '';
  await writeAtomic(`${root}/${LOCAL}`, text.replaceAll(process.execPath, '/old/node'));
  expect((await run(hooksStatus, root)).out).toContain('ralph hooks install');
});
