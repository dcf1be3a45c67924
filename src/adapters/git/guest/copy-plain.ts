import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { readBytes } from '../../../platform/files/files.ts';

/** Copies a file from one folder to another, what a link leads to included; fine when there is none. */
export async function copyPlain(from: string, to: string, name: string): Promise<void> {
  const bytes = await readBytes(`${from}/${name}`);
  if (bytes !== null) await writeAtomic(`${to}/${name}`, bytes, { fsync: false });
}
