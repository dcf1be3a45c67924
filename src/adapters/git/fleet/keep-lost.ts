import { systemClock } from '../../../platform/clock.ts';
import type { Git } from '../port.ts';
import type { FleetPlace } from './place.ts';
import type { FleetStream } from './port.ts';
import { refsOf } from './refs.ts';

/**
 * What an earlier turn left in the work tree, and the remote does not have, is pushed to a side ref: its worker died,
 * or its push came too late. Nothing where there is none.
 */
export async function keepLost(place: FleetPlace, stream: FleetStream, git: Git, head: string): Promise<void> {
  const { room, remote, worker } = place;
  const left = await git.resolve('HEAD');
  const tree = await git.tree();
  // A turn that changed nothing, or the same.
  if ((await git.changes(head, tree)).length === 0) return;
  const isClean = left !== null && (await git.changes(left, tree)).length === 0;
  if (isClean && (left === head || (await git.descends(head, left)))) return;
  const now = systemClock.now();
  const commit = isClean
    ? left
    : await git.commitTree({
        tree,
        parents: left === null ? [] : [left],
        subject: `What a turn of ${stream.stream} left`,
        body: '',
        trailers: [['Ralph-Worker', worker]],
        date: now,
        sign: false,
      });
  const { lost } = await refsOf(room, stream);
  // A name that is new every time: what is kept is never replaced.
  const name = `${lost}/${new Date(now).toISOString().replace(/[-:.]/g, '')}-${commit.slice(0, 8)}`;
  const { ok, said } = await remote.push(['--force', '--', remote.url, `${commit}:${name}`]);
  if (!ok) throw remote.refuse('keep what an earlier turn left', said);
}
