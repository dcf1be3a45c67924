import { join } from 'node:path';
import { StateError } from '../../../contracts/errors.ts';
import { remove } from '../../../platform/files/files.ts';
import { makePrivateDir, writePrivate } from '../../../platform/files/private.ts';
import { stateHome } from './state-home.ts';

/** How a person's tools (monitor, dashboard, steering) find and enter a run's control server. */
export interface ControlFile {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The operator's token. */
  readonly token: string;
  readonly pid: number;
  readonly run: string;
  /** Absolute: the work tree the run works on. */
  readonly root: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** `control/<run>.json` in the {@link stateHome}: outside every work tree, so that no agent's mount holds it. */
export function controlFilePath(env: Env, run: string): string {
  return join(controlFolder(env), `${run}.json`);
}

/**
 * Writes the file in one step.
 * @throws StateError when it cannot be written: a run that nobody can watch or stop had better not start
 */
export async function writeControlFile(env: Env, file: ControlFile): Promise<void> {
  const folder = controlFolder(env);
  try {
    await makePrivateDir(folder);
    await writePrivate(controlFilePath(env, file.run), `${JSON.stringify(file)}\n`, { fsync: false });
  } catch (error) {
    throw new StateError({
      what: "the run's control file cannot be written",
      where: folder,
      why: error instanceof Error ? error.message : String(error),
      mend: ['set XDG_STATE_HOME to a folder you may write'],
    });
  }
}

/** Removes the file of a run; fine when it is gone. */
export async function removeControlFile(env: Env, run: string): Promise<void> {
  await remove(controlFilePath(env, run));
}

function controlFolder(env: Env): string {
  return join(stateHome(env), 'control');
}
