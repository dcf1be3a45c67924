import { exists, makeDir } from '../../platform/files/files.ts';
import { objectStores } from './guest/borrow.ts';
import { pathFromBytes, splitNul } from './path-bytes.ts';
import type { CheckOut } from './port.ts';
import { line, type Room, runGit, runScript, tryGit, tryScript } from './room.ts';
import { BESIDE_TREE, CHECK_OUT, CHECK_OUT_MODULE } from './scripts/check-out.ts';
import { prepareShadow } from './shadow.ts';

/** See `Git.checkOut`. */
export async function checkOut(room: Room, { folder, index, tree, parent, ignored, keep }: CheckOut): Promise<void> {
  await prepareShadow(room);
  await makeDir(folder);
  const args = [folder, index, tree, parent ?? '', ignored, ...keep];
  const stores = await objectFolders(room);
  const alternates = Buffer.from(stores.map((dir) => `${dir}\n`).join(''));
  await runScript(room, 'check out what is to be checked', CHECK_OUT, args, alternates);
  if (parent !== null && (await exists(`${folder}/.gitmodules`)))
    await checkOutModules(room, { folder, index, parent });
}

/**
 * Submodules as the commit names them, from what the repository has of them: their folders in the work tree are the
 * agent's. One that was never fetched stays empty, as after a clone.
 */
async function checkOutModules(
  room: Room,
  { folder, index, parent }: { readonly folder: string; readonly index: string; readonly parent: string },
): Promise<void> {
  const args = ['config', '--blob', `${parent}:.gitmodules`, '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const { exitCode, stdout } = await tryGit(room, args);
  const modules = exitCode === 0 ? splitNul(stdout).map((entry) => entry.toString('utf8').split('\n')) : [];
  for (const [at, [key = '', path = '']] of modules.entries()) {
    const name = key.slice('submodule.'.length, -'.path'.length);
    const gitDir = `${room.repo.commonDir}/modules/${name}`;
    const isPlain = [name, path].every((one) => one !== '' && !one.startsWith('/') && !/(^|\/)\.\.?(\/|$)/.test(one));
    if (!isPlain || !(await exists(gitDir))) continue;
    const commit = await tryGit(room, ['rev-parse', '-q', '--verify', `${parent}:${path}`]);
    if (commit.exitCode !== 0) continue;
    const there = [gitDir, `${folder}/${path}`, `${index}-${at}`, line(commit.stdout)];
    // A commit that was not fetched, or a link in the way: the checks find it as it is.
    await tryScript(room, CHECK_OUT_MODULE, there);
  }
}

/** See `Git.besideTree`. */
export async function besideTree(
  room: Room,
  { folder, index }: Pick<CheckOut, 'folder' | 'index'>,
): Promise<readonly string[]> {
  return splitNul(await runScript(room, 'look at a checkout', BESIDE_TREE, [folder, index])).map(pathFromBytes);
}

/** See `Git.paths`. */
export async function pathsOf(room: Room, treeish: string): Promise<readonly string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', treeish];
  return splitNul(await runGit(room, 'list a tree', args)).map(pathFromBytes);
}

/** See `Git.objectFolders`. */
export async function objectFolders(room: Room): Promise<readonly string[]> {
  return (await objectStores(room.objects)).map(({ dir }) => dir);
}
