import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { exists, list, makeDir, readText } from '../../../platform/files/files.ts';
import type { Guest, GuestMount } from '../port.ts';
import { line, type Room, runScript } from '../room.ts';
import { READ_FOR_GUEST, READ_HEAD } from '../scripts/guest.ts';
import { borrowObjects } from './borrow.ts';
import { copyPlain } from './copy-plain.ts';
import { copyHooks } from './hooks.ts';
import { copyRules } from './ignore-rules.ts';
import { type GuestPlace, guestPlace, type Inside, insideOf } from './places.ts';
import { removeGuest } from './remove.ts';
import { configText, type Setting, settingsForGuest } from './settings.ts';

/**
 * See `Git.openGuest`. Whatever the real one is (linked worktree, submodule, reftable, borrowed objects), the guest is
 * one plain git dir of its own: what lies in several places is read through git and written down in one. Left out:
 * reflogs, secrets in settings, ralph's state. Submodules' git dirs are there read-only.
 */
export async function openGuest(room: Room, name: string): Promise<Guest> {
  await removeGuest(room, name);
  const place = guestPlace(room, name);
  const [inside] = await Promise.all([insideOf(room), makeDir(`${place.dir}/refs`)]);
  const [borrowed, head, hooks, rules] = await Promise.all([
    borrowObjects(room, place),
    readHead(room),
    copyHooks(room, place.dir),
    copyRules(room, place.dir, inside.gitDir),
    copyIndex(room, place.dir),
    copyPlain(room.repo.commonDir, place.dir, 'shallow'),
  ]);
  await Promise.all([
    writeRefsAndSettings(room, place, [...hooks, ...rules]),
    write(place, 'objects/info/alternates', borrowed.alternates),
  ]);
  const modules = await submodules(room, place, inside);
  const cover = inside.pointer ? await pointTo(room, place, inside) : [];
  // Last: without HEAD it is no git dir yet.
  await write(place, 'HEAD', head);
  const guest = { from: place.dir, at: inside.gitDir, writable: true };
  return { dir: place.dir, mounts: [...cover, guest, ...borrowed.mounts, ...modules] };
}

async function write({ dir }: GuestPlace, file: string, text: string): Promise<void> {
  await writeAtomic(`${dir}/${file}`, text, { fsync: false });
}

/** HEAD as git writes it. Where refs are no files, it names none that exists. */
async function readHead(room: Room): Promise<string> {
  const text = (await readText(`${room.repo.gitDir}/HEAD`)) ?? '';
  if (/^(ref: refs\/heads\/(?!\.invalid)\S+|[0-9a-f]{40,64})\n$/.test(text)) return text;
  const head = line(await runScript(room, 'read HEAD', READ_HEAD));
  return head.startsWith('refs/') ? `ref: ${head}\n` : `${head}\n`;
}

/** All refs in one file, those that name other refs in files of their own. */
async function writeRefsAndSettings(room: Room, place: GuestPlace, more: readonly Setting[]): Promise<void> {
  const output = await runScript(room, 'read refs and settings', READ_FOR_GUEST);
  const end = output.indexOf(0);
  const packed: string[] = ['# pack-refs with: sorted \n'];
  const symbolic: Promise<void>[] = [];
  for (const entry of output.subarray(0, end).toString('utf8').split('\n')) {
    const [id = '', name = '', target = ''] = entry.split(' ');
    if (name === '') continue;
    if (target === '') packed.push(`${id} ${name}\n`);
    else symbolic.push(write(place, name, `ref: ${target}\n`));
  }
  const settings = [...settingsForGuest(output.subarray(end + 1)), ...more];
  await Promise.all([
    ...symbolic,
    write(place, 'packed-refs', packed.join('')),
    write(place, 'config', configText(settings)),
  ]);
}

/** The index as it is, with what it shares when it is a split one. */
async function copyIndex({ repo }: Room, dir: string): Promise<void> {
  const shared = (await list(repo.gitDir)).filter((name) => name.startsWith('sharedindex.'));
  await Promise.all(['index', ...shared].map((name) => copyPlain(repo.gitDir, dir, name)));
}

/** Git dirs of submodules, where the `.git` files of their work trees look for them. */
async function submodules({ repo }: Room, { dir }: GuestPlace, { pointer }: Inside): Promise<readonly GuestMount[]> {
  const modules = `${repo.gitDir}/modules`;
  if (!(await exists(modules))) return [];
  if (!pointer) await makeDir(`${dir}/modules`);
  return [{ from: modules, at: modules, writable: false }];
}

async function pointTo({ repo }: Room, { pointer }: GuestPlace, { gitDir }: Inside): Promise<readonly GuestMount[]> {
  await writeAtomic(pointer, `gitdir: ${gitDir}\n`, { fsync: false });
  return [{ from: pointer, at: `${repo.root}/.git`, writable: false }];
}
