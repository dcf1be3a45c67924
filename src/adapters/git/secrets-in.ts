import { knowsSecrets, runCommand, secretSearch, secretsIn } from '../../platform/index.ts';
import { pastVersions } from './history.ts';
import type { RawChange } from './lists.ts';
import type { HeldSecret } from './port.ts';
import { show } from './read.ts';
import { freeStuck, gitError, OFFLINE, type Room, runGit } from './room.ts';

/** How much of git's output is kept besides what is parsed as it arrives: its error message, if any. */
const KEPT_BYTES = 16 * 1024;
const NEWLINE = 0x0a;

/** Files of a commit that contain a secret of this process that no earlier version at their path contained. */
export async function secretsInCommit(
  room: Room,
  parent: string,
  changes: readonly RawChange[],
): Promise<readonly HeldSecret[]> {
  if (!knowsSecrets()) return [];
  const blobs = changes.filter(({ newMode }) => newMode.startsWith('1') && newMode !== '160000');
  const held = await secretsInObjects(
    room,
    blobs.map(({ newId }) => newId),
  );
  const found = blobs.flatMap(({ path, newId }) => {
    const names = [...new Set([...(held.get(newId) ?? []), ...secretsIn(path)])];
    return names.length > 0 ? [{ path, names }] : [];
  });
  if (found.length === 0) return [];
  const before = new Set<string>();
  for (const { path, status } of changes) {
    const bytes = status === 'added' ? null : await show(room, parent, path);
    if (bytes !== null) for (const name of secretsIn(Buffer.from(bytes).toString('utf8'))) before.add(name);
  }
  return found.flatMap(({ path, names }) => {
    const added = names.filter((name) => !before.has(name));
    return added.length > 0 ? [{ path, names: added }] : [];
  });
}

export async function secretsBetween(room: Room, from: string, to: string): Promise<boolean> {
  if (!knowsSecrets()) return false;
  const commits = await runGit(room, 'list commits', ['rev-list', `${from}..${to}`, '--']);
  const versions = [...(await pastVersions(room, from, to)).values()].flatMap((ids) => [...ids]);
  const ids = [...commits.toString('latin1').trim().split('\n'), ...versions];
  return (await secretsInObjects(room, ids)).size > 0;
}

/** Reads objects by one process, in pieces of any size: id → the names of the secrets in it, where there are any. */
async function secretsInObjects(room: Room, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const wanted = [...new Set(ids)].filter((id) => /^(?!0+$)[0-9a-f]{40,64}$/.test(id));
  if (wanted.length === 0) return found;
  let header = '';
  /** Bytes of the current object that are still to come, with the line break after it; -1: its header is. */
  let left = -1;
  let search = secretSearch();
  const read = (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      if (left < 0) {
        const end = chunk.indexOf(NEWLINE, at);
        header += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
        if (end < 0) return;
        at = end + 1;
        const size = Number(header.split(' ')[2] ?? Number.NaN);
        // `<id> missing`: a partial clone does not have it, so it was not made here.
        if (Number.isNaN(size)) header = '';
        else left = size + 1;
        search = secretSearch();
        continue;
      }
      const piece = chunk.subarray(at, at + left);
      const names = search(piece);
      if (names.length > 0) found.set(header.split(' ')[0] ?? '', names);
      at += piece.length;
      left -= piece.length;
      if (left > 0) continue;
      left = -1;
      header = '';
    }
  };
  const { root } = room.repo;
  const result = await freeStuck(
    root,
    runCommand('git', ['cat-file', '--batch'], {
      cwd: root,
      env: { ...room.env, ...OFFLINE },
      input: `${wanted.join('\n')}\n`,
      maxBytes: KEPT_BYTES,
      onOutput: read,
    }),
  );
  if (result.exitCode !== 0) {
    throw gitError(room, 'look for secrets in a commit', { ...result, stderr: result.stderr.toString('utf8') });
  }
  return found;
}
