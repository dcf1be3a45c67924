import type { Git } from '../../adapters/git/port.ts';
import { readText, stat } from '../../platform/files/files.ts';
import { isSetUpFile, type SetUpStep, setUpOf } from '../../rules/set-up/set-up.ts';

/** Lock files of large projects have some megabytes; of what is larger only the name counts. */
const FILE_BYTES = 8 * 1024 * 1024;
const ALL_BYTES = 48 * 1024 * 1024;

/**
 * The commands that install what the checks of a tree need.
 * @param folder a checkout of the tree: what git does not see there does not count
 * @param setup `checks.setup`; null: by the files of the tree
 */
export async function findSetUp(
  git: Pick<Git, 'paths'>,
  { tree, folder }: { readonly tree: string; readonly folder: string },
  setup: readonly string[] | null,
): Promise<readonly SetUpStep[]> {
  const paths = (await git.paths(tree)).filter(isSetUpFile);
  if (setup !== null) {
    const common = { tool: 'checks.setup', folder: '', decides: paths, env: {}, setUpEnv: {}, path: [] };
    return setup.map((command) => ({ ...common, command }));
  }
  const files: Record<string, string> = {};
  let left = ALL_BYTES;
  for (const path of paths) {
    const facts = await stat(`${folder}/${path}`);
    const isRead = facts?.kind === 'file' && facts.size <= Math.min(FILE_BYTES, left);
    files[path] = isRead ? ((await readText(`${folder}/${path}`)) ?? '') : '';
    if (isRead) left -= facts.size;
  }
  return setUpOf(files);
}

/** A command with the folder that it is run in, for people. */
export function shownStep({ folder, command }: SetUpStep): string {
  return folder === '' ? command : `${command} (in ${folder})`;
}
