import { makeDir } from '../../platform/files/files.ts';
import { objectStores } from './guest/borrow.ts';
import { pathFromBytes, splitNul } from './path-bytes.ts';
import type { CheckOut } from './port.ts';
import { type Room, runScript } from './room.ts';
import { BESIDE_TREE, CHECK_OUT } from './scripts/check-out.ts';
import { prepareShadow } from './shadow.ts';

/** See `Git.checkOut`. */
export async function checkOut(room: Room, { folder, index, tree, parent, ignored, keep }: CheckOut): Promise<void> {
  await prepareShadow(room);
  await makeDir(folder);
  const args = [folder, index, tree, parent ?? '', ignored, ...keep];
  const stores = await objectFolders(room);
  const alternates = Buffer.from(stores.map((dir) => `${dir}\n`).join(''));
  await runScript(room, 'check out what is to be checked', CHECK_OUT, args, alternates);
}

/** See `Git.besideTree`. */
export async function besideTree(
  room: Room,
  { folder, index }: Pick<CheckOut, 'folder' | 'index'>,
): Promise<readonly string[]> {
  return splitNul(await runScript(room, 'look at a checkout', BESIDE_TREE, [folder, index])).map(pathFromBytes);
}

/** See `Git.objectFolders`. */
export async function objectFolders(room: Room): Promise<readonly string[]> {
  return (await objectStores(room.objects)).map(({ dir }) => dir);
}
