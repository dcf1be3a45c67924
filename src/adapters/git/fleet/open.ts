import type { Env } from '../environment.ts';
import { checkOut } from './check-out.ts';
import { forget, streamTrees } from './forget.ts';
import { openPlace } from './place.ts';
import type { FleetGit } from './port.ts';
import { pushTurn, pushWip } from './push.ts';
import { refsOf, stateRefspec } from './refs.ts';
import { readStateFiles } from './state-files.ts';

/**
 * Opens the git of a worker: one clone for all of its streams, a work tree for each.
 * @param folder of this worker alone, absolute; made where it is missing
 * @param env of the account that the worker runs under: its keys and settings are used
 * @throws RemoteRefusal when the remote cannot be reached
 */
export async function openFleetGit(input: {
  readonly remote: string;
  readonly folder: string;
  readonly env: Env;
  readonly worker: string;
}): Promise<FleetGit> {
  const place = await openPlace(input);
  const { room, remote } = place;
  return {
    clone: room.repo.gitDir,
    checkOut: (stream) => checkOut(place, stream),
    push: (stream, base, state) => pushTurn(place, stream, base, state),
    // It is a convenience, and the next one may get through.
    pushWip: (stream, tree) => pushWip(place, stream, tree).catch(() => {}),
    async readState(stream) {
      const refs = await refsOf(room, stream);
      await remote.fetch([stateRefspec(refs)]);
      const commit = await remote.fetched(refs.fetchedState);
      return commit === '' ? null : readStateFiles(room, commit);
    },
    trees: () => streamTrees(place),
    forget: (tree) => forget(place, tree),
  };
}
