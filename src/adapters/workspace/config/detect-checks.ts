import { posix, relative, sep } from 'node:path';
import { exists, list, readInside, stat } from '../../../platform/index.ts';
import {
  type Contained,
  containedChecks,
  DEEPER,
  type ProjectFiles,
  projectChecks,
  READ,
  TEST_FOLDERS,
  TEST_NAME,
  unreadable,
} from '../../../rules/project-checks/index.ts';

import { upwards } from '../layout.ts';

const MOST_BYTES = 1024 * 1024;
/** Limit on parts of a project that has no checks at its root. */
const MOST_PARTS = 4;
/** Folders with third-party code, or without code of the project itself. */
const NOT_PARTS =
  /^(node_modules|vendor|third_party|target|dist|build|out|docs?|examples?|fixtures|ralph|ralph-archive)$/;
/** Names that a shell takes literally. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * The project's own checks, cheapest first, as commands for `verifyCommands`: a proposal based on its files, for a
 * person to correct. Nothing is run. If the root shows none, the user's current folder is searched, then the folders
 * directly below the root.
 * @param from absolute; the root by default
 */
export async function detectChecks(root: string, from: string = root): Promise<readonly string[]> {
  const own = await checksOf(root, '.');
  if (own.length > 0) return own;
  const inside = relative(root, from).split(sep).join('/');
  for (const folder of inside.startsWith('..') ? [] : upwards(inside || '.')) {
    const found = await checksOf(root, folder);
    if (found.length > 0) return found;
  }
  return (await Promise.all((await partsOf(root)).map((part) => checksOf(root, part)))).slice(0, MOST_PARTS).flat();
}

/** Files at the root that would show the checks, but cannot be read. */
export async function unreadableCheckFiles(root: string): Promise<readonly string[]> {
  return unreadable(await filesOf(root, '.'));
}

/** The checks that run twice for each tree, because another check also runs them. */
export async function checksWithinOthers(root: string, commands: readonly string[]): Promise<readonly Contained[]> {
  const split = commands.map((command) => /^cd ([\w@%+:,./-]+) && (.+)$/s.exec(command) ?? [command, '.', command]);
  const folders = [...new Set(split.map(([, folder = '.']) => folder))];
  const found = folders.map(async (folder) => {
    const own = split.filter((one) => one[1] === folder);
    const whole = (rest: string) => own.find((one) => one[2] === rest)?.[0] ?? rest;
    const pairs = containedChecks(
      own.map(([, , rest = '']) => rest),
      await filesOf(root, folder),
    );
    return pairs.map(({ check, within }) => ({ check: whole(check), within: whole(within) }));
  });
  return (await Promise.all(found)).flat();
}

async function checksOf(root: string, folder: string): Promise<readonly string[]> {
  const checks = projectChecks(await filesOf(root, folder));
  if (folder === '.') return checks;
  return PLAIN.test(folder) ? checks.map((check) => `cd ${folder} && ${check}`) : [];
}

async function filesOf(root: string, folder: string): Promise<ProjectFiles> {
  const dir = posix.join(root, folder);
  // A part may be closed to this user, such as the data of a database in a container.
  const names = new Set(await list(dir).catch(() => []));
  const texts = new Map<string, string>();
  for (const name of READ.filter((one) => names.has(one))) {
    const { bytes } = await readInside(root, posix.join(folder, name), MOST_BYTES);
    if (bytes !== null) texts.set(name, bytes.toString('utf8'));
  }
  for (const name of DEEPER) if (await exists(posix.join(dir, name)).catch(() => false)) names.add(name);
  for (const part of TEST_FOLDERS.filter((one) => names.has(one)))
    for (const name of await list(posix.join(dir, part)).catch(() => []))
      if (TEST_NAME.test(name)) names.add(`${part}/${name}`);
  return { names, text: (name) => texts.get(name) ?? null };
}

async function partsOf(root: string): Promise<readonly string[]> {
  const names = (await list(root)).filter((name) => !name.startsWith('.') && !NOT_PARTS.test(name));
  const kinds = await Promise.all(names.map((name) => stat(`${root}/${name}`)));
  return names.filter((_, at) => kinds[at]?.kind === 'dir');
}
