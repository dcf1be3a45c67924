import type { FleetGit } from '../../adapters/git/fleet/port.ts';
import { exists } from '../../platform/files/files.ts';

/** The git of a worker whose folder somebody may remove at any time. */
export interface LastingClone extends FleetGit {
  isThere(): Promise<boolean>;
}

/** Makes the clone anew where it is gone before a stream is checked out. @param open makes, or finds, the clone */
export async function lastingClone(open: () => Promise<FleetGit>): Promise<LastingClone> {
  let now = await open();
  let opening: Promise<FleetGit> | null = null;
  const isThere = () => exists(`${now.clone}/HEAD`);
  const there = async () => {
    if (await isThere()) return now;
    // Several streams may notice it at the same time.
    opening ??= open().finally(() => {
      opening = null;
    });
    now = await opening;
    return now;
  };
  return {
    get clone() {
      return now.clone;
    },
    isThere,
    checkOut: async (stream) => (await there()).checkOut(stream),
    push: (stream, base, state) => now.push(stream, base, state),
    pushWip: (stream, tree) => now.pushWip(stream, tree),
    readState: async (stream) => (await there()).readState(stream),
    trees: async () => ((await isThere()) ? now.trees() : []),
    forget: (tree) => now.forget(tree),
  };
}
