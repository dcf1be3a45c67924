import { UnavailableError } from '../../../contracts/errors.ts';
import type { Sandbox } from './answers.ts';
import type { SbxClient } from './client.ts';
import { CREATE, MAKE_ANEW } from './failure.ts';
import { sbxName } from './name.ts';

/**
 * The sandbox of a work tree. One that stands still counts: sbx starts it with the first command.
 * @throws UnavailableError when there is none, or when one of that name is for another folder
 */
export async function findSandbox(client: SbxClient, root: string): Promise<Sandbox> {
  const name = sbxName(root);
  const found = (await client.list()).find((sandbox) => sandbox.name === name);
  if (found === undefined) {
    throw new UnavailableError({
      what: 'there is no sandbox for this project',
      where: `sbx ls: ${name}`,
      mend: [CREATE],
    });
  }
  if (found.workspaces.length > 0 && !found.workspaces.some((path) => path.replace(/:r[ow]$/, '') === root)) {
    throw new UnavailableError({
      what: `the sandbox ${name} is for another folder`,
      where: found.workspaces.join(', '),
      mend: [MAKE_ANEW],
    });
  }
  return found;
}
