import { relative } from 'node:path';
import { copy, exists, list, makeDir, makeLink, orNull, readText, realPath, stat } from '../../platform/files/files.ts';
import { isWithin } from '../../platform/files/files-inside.ts';

/** Folders that package managers fill and projects ignore: a fresh work tree has none of them. */
const FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  '.venv',
  'venv',
  'vendor',
  'bower_components',
  'deps',
  'Pods',
]);
/** Folders below the root in which members of a monorepo are looked for. */
const DEPTH = 3;

interface Trees {
  /** The user's work tree, symbolic links resolved. */
  readonly root: string;
  /** The fresh one. */
  readonly dir: string;
  /** Whether git sees something there: then it is work, and no dependency. */
  readonly isWork: (path: string) => boolean;
}

/**
 * Lets a fresh work tree use the dependencies of the user's: links, so that it costs nothing. Links back into the
 * project (members of a workspace) lead to the same place of the fresh tree.
 * @returns why what is linked may lead to code of the user's work tree all the same; null when it does not
 */
export async function lendDependencies(trees: Trees): Promise<string | null> {
  let leadsBack: string | null = null;
  for (const folder of await foldersOf(trees.dir, '', DEPTH)) {
    const names = (await list(`${trees.root}/${folder}`)).filter((name) => FOLDERS.has(name));
    for (const name of names) {
      const path = `${folder}${name}`;
      if (trees.isWork(path) || (await exists(`${trees.dir}/${path}`))) continue;
      if ((await stat(`${trees.root}/${path}`))?.kind === 'file') continue;
      leadsBack = (await lend(trees, path, name)) ?? leadsBack;
    }
  }
  return leadsBack;
}

/** Folders of a tree, relative and with a slash behind; the root is ''. */
async function foldersOf(dir: string, folder: string, depth: number): Promise<readonly string[]> {
  if (depth === 0) return [folder];
  const below: string[] = [];
  for (const name of await list(`${dir}/${folder}`)) {
    if (name.startsWith('.') || FOLDERS.has(name)) continue;
    if ((await stat(`${dir}/${folder}${name}`))?.kind === 'dir')
      below.push(...(await foldersOf(dir, `${folder}${name}/`, depth - 1)));
  }
  return [folder, ...below];
}

async function lend(trees: Trees, path: string, name: string): Promise<string | null> {
  const { root, dir } = trees;
  const from = `${root}/${path}`;
  if (name === 'node_modules') await lendPackages(trees, path);
  // Composer's class loader looks for the project beside itself, wherever a link to it is.
  else if ((await exists(`${from}/composer`)) && isWithin(root, await realPath(from)))
    await copy(from, `${dir}/${path}`);
  else await makeLink(from, `${dir}/${path}`);
  return name.endsWith('venv') && (await hasEditable(from, root))
    ? `${path} holds an editable install of the project, which leads to its work tree: set worktree.setup`
    : null;
}

/** A link to the whole folder, unless packages in it are members of the project: then a folder of links. */
async function lendPackages(trees: Trees, path: string): Promise<void> {
  const { root, dir } = trees;
  const members = await membersIn(root, path);
  if (members.size === 0) return makeLink(`${root}/${path}`, `${dir}/${path}`);
  await makeDir(`${dir}/${path}`);
  const scopes = new Set(
    [...members.keys()].flatMap((name) => (name.includes('/') ? [name.slice(0, name.indexOf('/'))] : [])),
  );
  for (const name of await list(`${root}/${path}`)) {
    const packages = scopes.has(name)
      ? (await list(`${root}/${path}/${name}`)).map((inner) => `${name}/${inner}`)
      : [name];
    if (scopes.has(name)) await makeDir(`${dir}/${path}/${name}`);
    for (const one of packages) {
      const member = members.get(one);
      await makeLink(member === undefined ? `${root}/${path}/${one}` : `${dir}/${member}`, `${dir}/${path}/${one}`);
    }
  }
}

/** Packages of a `node_modules` that are links into the project: name → place, relative to its root. */
async function membersIn(root: string, path: string): Promise<ReadonlyMap<string, string>> {
  const members = new Map<string, string>();
  for (const name of await list(`${root}/${path}`)) {
    const inner = name.startsWith('@')
      ? (await list(`${root}/${path}/${name}`)).map((one) => `${name}/${one}`)
      : [name];
    for (const one of inner) {
      if ((await stat(`${root}/${path}/${one}`))?.kind !== 'symlink') continue;
      const real = await orNull(realPath(`${root}/${path}/${one}`));
      if (real === null || !isWithin(root, real) || real === root) continue;
      const place = relative(root, real);
      if (!place.split('/').includes('node_modules')) members.set(one, place);
    }
  }
  return members;
}

/** Whether a virtual environment of Python has the project installed in place. */
async function hasEditable(venv: string, root: string): Promise<boolean> {
  for (const version of await list(`${venv}/lib`)) {
    const packages = `${venv}/lib/${version}/site-packages`;
    const names = (await list(packages)).filter((name) => /\.(?:pth|egg-link)$|^__editable__.*\.py$/.test(name));
    for (const name of names) if ((await readText(`${packages}/${name}`))?.includes(root)) return true;
  }
  return false;
}
