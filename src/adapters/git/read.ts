import { knowsSecrets, pathFromBytes, pathToBytes, secretSearch, secretsIn } from '../../platform/index.ts';
import { pastVersions } from './history.ts';
import { GITLINK, type RawChange, splitNul } from './lists.ts';
import { answerTo, isLine, readObjects, WHOLE_LINKS } from './objects.ts';
import type { CommitView, HeldSecret } from './port.ts';
import { askGit, emptyTree, gitError, line, OFFLINE, type Room, runGit } from './room.ts';

/**
 * The same repository for differences that people read: attributes of the work tree, which an agent may have written,
 * neither hide a file nor change how it is shown. Git looks for them where it is started, and that folder has none.
 */
export function withoutAttributes(room: Room): Room {
  const empty = { GIT_WORK_TREE: room.objects, GIT_INDEX_FILE: `${room.objects}/no-index` };
  return { ...room, repo: { ...room.repo, root: room.objects }, realRoot: null, env: { ...room.env, ...empty } };
}

export async function show(room: Room, treeish: string, path: string): Promise<Uint8Array | null> {
  const known = isLine(path) ? blobIn(await answerTo(room, [`contents ${treeish}:${path}`])) : null;
  if (known !== null) return known;
  // What the process that stays cannot tell: names that are no text, objects that a partial clone has to fetch. On
  // standard input: arguments cannot carry every path.
  const name = Buffer.concat([Buffer.from(`${treeish}:`), pathToBytes(path), Buffer.of(0)]);
  return blobIn(await runGit(room, `read ${path}`, ['cat-file', '--batch', '-z'], name));
}

/** The bytes in an answer of `cat-file`: `<id> blob <size>`, a line break, the bytes. */
function blobIn(answer: Buffer): Buffer | null {
  const end = answer.indexOf('\n');
  const [, type, size] = answer.subarray(0, end).toString('latin1').split(' ');
  if (type !== 'blob' || size === undefined) return null;
  return answer.subarray(end + 1, end + 1 + Number(size));
}

export async function diffStat(room: Room, from: string, to: string, maxLines = 20): Promise<string> {
  const args = ['diff-tree', '-r', '--stat=100', '-M', '--no-ext-diff', '--no-textconv', WHOLE_LINKS, from, to];
  const lines = line(await runGit(withoutAttributes(room), 'summarise changes', args)).split('\n');
  if (lines.length <= maxLines) return lines.join('\n');
  // The last line is the total.
  const shown = lines.slice(0, Math.max(0, maxLines - 2));
  return [...shown, ` … and ${lines.length - 1 - shown.length} more files`, ...lines.slice(-1)].join('\n');
}

/** Of a patch; a person does not read more on a page. */
const MAX_PATCH_BYTES = 1024 * 1024;

/** Options that run no program named by settings or attributes, and read no files that an agent may have written. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', WHOLE_LINKS];

export async function commitView(room: Room, id: string): Promise<CommitView | null> {
  if (!/^[0-9a-f]{40,64}$/.test(id)) return null;
  const plain = withoutAttributes(room);
  const offline = { ...plain, env: { ...plain.env, ...OFFLINE } };
  const format = '--format=%P%x00%s%x00%b';
  const found = await askGit(offline, ['rev-list', '--max-count=1', '--no-commit-header', format, id, '--']);
  // For other objects it prints nothing, without an error.
  if (!found) return null;
  const [parents = '', subject = '', body = ''] = found.split('\0');
  const base = parents.split(' ')[0] || (await emptyTree(offline));
  const diff = (...options: readonly string[]) =>
    runGit(offline, 'show a commit', ['diff-tree', '-r', '-M', ...options, ...PLAIN, base, id]);
  const [files, patch] = await Promise.all([diff('-z', '--numstat'), diff('-p')]);
  const truncated = patch.length > MAX_PATCH_BYTES;
  // Without the line that was cut: it might end in the middle of a character.
  const end = truncated ? patch.lastIndexOf('\n', MAX_PATCH_BYTES - 1) + 1 : patch.length;
  return {
    id,
    subject,
    body: body.trim(),
    files: changedFiles(files),
    patch: patch.toString('utf8', 0, end),
    truncated,
  };
}

/**
 * Records are `added TAB deleted TAB path`, with `-` for numbers of binary files; for a renamed file the path is empty
 * and the old and the new one follow as separate records.
 */
function changedFiles(numstat: Buffer): CommitView['files'] {
  const files: CommitView['files'][number][] = [];
  const records = splitNul(numstat);
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? Buffer.of();
    const [added = '', deleted = ''] = record.toString('latin1').split('\t', 2);
    let path = record.subarray(added.length + deleted.length + 2);
    if (path.length === 0) {
      at += 2;
      path = records[at] ?? path;
    }
    files.push({ path: pathFromBytes(path), added: count(added), deleted: count(deleted) });
  }
  return files;
}

function count(text: string): number | null {
  return text === '-' ? null : Number(text);
}

/** Files of a commit that contain a secret of this process that no earlier version at their path contained. */
export async function secretsInCommit(
  room: Room,
  parent: string,
  changes: readonly RawChange[],
): Promise<readonly HeldSecret[]> {
  if (!knowsSecrets()) return [];
  const blobs = changes.filter(({ newMode }) => newMode.startsWith('1') && newMode !== GITLINK);
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
        const end = chunk.indexOf('\n', at);
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
  const questions = wanted.map((id) => `contents ${id}`);
  if (!(await readObjects(room, questions, read)))
    throw gitError(room, 'look for secrets in a commit', { exitCode: null, stdout: Buffer.of(), stderr: '' });
  return found;
}
