import { createHash } from 'node:crypto';
import { readText } from '../../../platform/files/files.ts';
import { makePrivateDir, writePrivate } from '../../../platform/files/private.ts';
import { stateHome } from './state-home.ts';

/**
 * The hosts that a run may reach and the last one in this work tree might not; empty for the first run. What is given
 * now is what the next run is compared with. Kept outside of the work tree; where that cannot be, nothing is new.
 */
export async function newHosts(
  env: Readonly<Record<string, string | undefined>>,
  root: string,
  hosts: readonly string[],
): Promise<readonly string[]> {
  const folder = `${stateHome(env)}/hosts`;
  const path = `${folder}/${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`;
  const last = hostsIn(await readText(path).catch(() => null));
  try {
    await makePrivateDir(folder);
    await writePrivate(path, `${JSON.stringify(hosts)}\n`, { fsync: false });
  } catch {
    return [];
  }
  return last === null ? [] : hosts.filter((host) => !last.includes(host));
}

function hostsIn(text: string | null): readonly unknown[] | null {
  try {
    const hosts: unknown = JSON.parse(text ?? '');
    return Array.isArray(hosts) ? hosts : null;
  } catch {
    return null;
  }
}
