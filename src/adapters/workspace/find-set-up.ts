import { SET_UP_FILES, type SetUpStep, setUpOf } from '../../rules/set-up/set-up.ts';
import { readNamedFiles } from './named-files.ts';

/**
 * The commands that install what the checks of a project need.
 * @param root a checkout of the project
 * @param setup `checks.setup`; null: by the files that are there
 */
export async function findSetUp(root: string, setup: readonly string[] | null): Promise<readonly SetUpStep[]> {
  const files = await readNamedFiles(root, SET_UP_FILES);
  if (setup === null) return setUpOf(files);
  const common = { tool: 'checks.setup', folder: '', decides: Object.keys(files), env: {}, setUpEnv: {}, path: [] };
  return setup.map((command) => ({ ...common, command }));
}

/** A command with the folder that it is run in, for people. */
export function shownStep({ folder, command }: SetUpStep): string {
  return folder === '' ? command : `${command} (in ${folder})`;
}
