import { join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { chmod, makeDir, makeTempDir, remove } from '../../../platform/files/files.ts';

export interface Masks {
  /** Where they are. */
  readonly place: string;
  readonly file: string;
  readonly folder: string;
  /** Never rejects. */
  dispose(): Promise<void>;
}

/** An empty file and an empty folder that nobody may look into, to be mounted over what must not be read. */
export async function makeMasks(): Promise<Masks> {
  const place = await makeTempDir('ralph-masks-');
  const file = join(place, 'file');
  const folder = join(place, 'folder');
  await writeAtomic(file, '', { fsync: false });
  await makeDir(folder);
  await chmod(file, 0);
  await chmod(folder, 0);
  return { place, file, folder, dispose: () => remove(place).catch(() => {}) };
}
