import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { makeDir, readBytes, readText } from '../../../platform/files/files.ts';
import type { Room } from '../room.ts';
import { copyPlain } from './copy-plain.ts';
import type { Setting } from './settings.ts';

/** Of the repository, and of this work tree alone. */
const SHARED = ['exclude', 'grafts'];
const OWN = ['sparse-checkout'];

/** The repository's own attributes win over those of the tree: whoever reviews inside sees what these would hide. */
async function showDifferences(commonDir: string, dir: string): Promise<void> {
  const own = (await readText(`${commonDir}/info/attributes`)) ?? '';
  await writeAtomic(`${dir}/info/attributes`, `${own}\n* !diff\n`, { fsync: false });
}

/**
 * Copies what decides which files count and how, also what the person has in their home folder, which is another one
 * inside.
 */
export async function copyRules(room: Room, dir: string, inside: string): Promise<readonly Setting[]> {
  const { commonDir, gitDir } = room.repo;
  await makeDir(`${dir}/info`);
  await Promise.all([
    ...SHARED.map((name) => copyPlain(`${commonDir}/info`, `${dir}/info`, name)),
    showDifferences(commonDir, dir),
    ...OWN.map((name) => copyPlain(`${gitDir}/info`, `${dir}/info`, name)),
  ]);
  const settings: Setting[] = [];
  for (const [key, file] of Object.entries(room.personal)) {
    const bytes = await readBytes(file);
    if (bytes === null) continue;
    const name = `info/${key.toLowerCase().replace('core.', '')}`;
    await writeAtomic(`${dir}/${name}`, bytes, { fsync: false });
    settings.push({ key, value: `${inside}/${name}` });
  }
  return settings;
}
