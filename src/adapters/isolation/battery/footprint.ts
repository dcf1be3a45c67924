import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { list, readBytes, stat } from '../../../platform/files/files.ts';

/** Every file of a folder, links not followed: path → what it is. */
export type Footprint = ReadonlyMap<string, string>;

/** @param skip names right below `root` that are passed over */
export async function footprintOf(root: string, skip: readonly string[] = []): Promise<Footprint> {
  const found = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    const at = join(root, path);
    const entry = await stat(at);
    if (entry === null) return;
    const isFile = entry.kind === 'file';
    const bytes = isFile ? await readBytes(at) : null;
    const content = bytes === null ? '' : createHash('sha256').update(bytes).digest('hex');
    found.set(path, [entry.kind, entry.mode, content, isFile ? entry.mtimeMs : 0].join(' '));
    if (entry.kind !== 'dir') return;
    for (const name of await list(at)) if (path !== '' || !skip.includes(name)) await visit(join(path, name));
  };
  await visit('');
  return found;
}

/** The first difference, in words; null when there is none. */
export function differenceOf(before: Footprint, after: Footprint): string | null {
  for (const [path, was] of before) {
    const is = after.get(path);
    const name = path === '' ? 'the folder' : path;
    if (is === undefined) return `${name} is gone`;
    if (is !== was) return `${name} was changed`;
  }
  const added = [...after.keys()].find((path) => !before.has(path));
  return added === undefined ? null : `${added} was made`;
}
