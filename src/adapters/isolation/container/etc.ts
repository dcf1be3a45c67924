import { join } from 'node:path';
import { list, realPath, stat } from '../../../platform/files/files.ts';
import type { ViewEntry } from '../view/entry.ts';

const ETC = '/etc';
/** Files that an engine mounts in every container. It cannot make them in a folder that is read-only. */
const OF_THE_ENGINE = ['hostname', 'hosts', 'resolv.conf'];

/**
 * Where this machine's /etc has not all that engines mount into it (Fedora has no `hostname`): shows what is in /etc
 * one by one, in a folder of the image. The same view otherwise.
 */
export async function spreadEtc(view: readonly ViewEntry[]): Promise<readonly ViewEntry[]> {
  const there = await Promise.all(OF_THE_ENGINE.map((name) => stat(join(ETC, name))));
  if (there.every((found) => found !== null)) return view;
  const spread = await entriesIn(ETC);
  return view.flatMap((entry) => (entry.kind === 'read' && entry.at === ETC ? spread : [entry]));
}

/** A folder's files and folders, each by itself, and its links. */
export async function entriesIn(folder: string): Promise<readonly ViewEntry[]> {
  const entries = (await list(folder)).map(async (name): Promise<readonly ViewEntry[]> => {
    const at = join(folder, name);
    const kind = (await stat(at))?.kind;
    if (kind === 'file' || kind === 'dir') return [{ kind: 'read', from: at, at }];
    const target = kind === 'symlink' ? await realPath(at).catch(() => null) : null;
    return target === null || OF_THE_ENGINE.includes(name) ? [] : [{ kind: 'link', at, target }];
  });
  return (await Promise.all(entries)).flat();
}
