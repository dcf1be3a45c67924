import { homedir } from 'node:os';
import { realPath } from '../../../platform/files/files.ts';
import type { IsolationInput } from '../port.ts';
import { isWithin } from '../view/paths.ts';
import type { Environment } from './engine.ts';

/**
 * The environment in which the engine's client is looked for and runs: the person's, without those folders of PATH that
 * can be written inside, where an agent may have planted a `podman` of its own. Rootless engines keep their images
 * below the home folder of the account, whatever the inside takes for one.
 */
export async function clientEnvironment({ env, workspace, policy }: ClientInput): Promise<Environment> {
  const writable = await Promise.all([workspace.root, ...policy.write].map(realOrSame));
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  const real = await Promise.all(folders.map(realOrSame));
  const safe = folders.filter((_, i) => !writable.some((place) => isWithin(real[i] ?? place, place)));
  return { ...env, HOME: homedir(), PATH: safe.join(':') };
}

type ClientInput = Pick<IsolationInput, 'env' | 'workspace' | 'policy'>;

function realOrSame(path: string): Promise<string> {
  return realPath(path).catch(() => path);
}
