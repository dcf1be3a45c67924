import { join } from 'node:path';
import { list, realPath, stat } from '../../../platform/index.ts';
import type { ViewEntry } from '../view/entry.ts';

/** Files that an engine mounts in every container. It cannot create them in a read-only folder. */
const MADE_BY_ENGINE = ['hostname', 'hosts', 'resolv.conf'];

/**
 * Where this machine's /etc lacks a file that engines mount into it (Fedora has no `hostname`): shows the entries of
 * /etc one by one, in a folder of the image. Otherwise returns the view unchanged.
 */
export async function spreadEtc(view: readonly ViewEntry[], etc = '/etc'): Promise<readonly ViewEntry[]> {
  const there = await Promise.all(MADE_BY_ENGINE.map((name) => stat(join(etc, name))));
  if (there.every((found) => found !== null)) return view;
  const spread = await entriesIn(etc);
  return view.flatMap((entry) => (entry.kind === 'read' && entry.at === etc ? spread : [entry]));
}

/** A folder's files and folders, each as its own entry, and its links. */
async function entriesIn(folder: string): Promise<readonly ViewEntry[]> {
  const entries = (await list(folder)).map(async (name): Promise<readonly ViewEntry[]> => {
    const at = join(folder, name);
    const kind = (await stat(at))?.kind;
    if (kind === 'file' || kind === 'dir') return [{ kind: 'read', from: at, at }];
    const target = kind === 'symlink' ? await realPath(at).catch(() => null) : null;
    return target === null || MADE_BY_ENGINE.includes(name) ? [] : [{ kind: 'link', at, target }];
  });
  return (await Promise.all(entries)).flat();
}
