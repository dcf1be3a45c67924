import { GitRefusal } from '../../../contracts/errors.ts';
import { type Room, tryGit } from '../room.ts';
import type { FleetStream } from './port.ts';

/** Names of what a stream has at the remote, and of what was fetched last. */
export interface StreamRefs {
  readonly branch: string;
  /** Ledger and the like, in a commit of their own. */
  readonly state: string;
  readonly wip: string;
  /** Up to the name of what is kept there. */
  readonly lost: string;
  readonly fetchedBranch: string;
  readonly fetchedState: string;
}

/** @throws GitRefusal when stream or branch cannot be the name of a ref */
export async function refsOf(room: Room, { stream, branch }: FleetStream): Promise<StreamRefs> {
  const own = `refs/ralph/fleet/${stream}`;
  for (const ref of [`${own}/state`, `refs/heads/${branch}`]) {
    if ((await tryGit(room, ['check-ref-format', ref])).exitCode === 0) continue;
    throw new GitRefusal({ what: `"${ref}" cannot be the name of a ref`, mend: ['see git help check-ref-format'] });
  }
  return {
    branch: `refs/heads/${branch}`,
    state: `${own}/state`,
    wip: `${own}/wip`,
    lost: `${own}/lost`,
    fetchedBranch: `refs/fetched/${stream}/branch`,
    fetchedState: `refs/fetched/${stream}/state`,
  };
}

/** As a pattern: git takes a pattern that matches nothing, and fails for a name that is not there. */
export function stateRefspec({ state, fetchedState }: StreamRefs): string {
  const pattern = (ref: string) => `${ref.slice(0, -1)}*`;
  return `+${pattern(state)}:${pattern(fetchedState)}`;
}
