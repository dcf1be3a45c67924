import { WHOLE_LINKS } from './checkpoint.ts';
import { pathFromBytes, splitNul } from './path-bytes.ts';
import type { CommitView } from './port.ts';
import { withoutAttributes } from './read.ts';
import { gitError, line, OFFLINE, type Room, tryGit } from './room.ts';

/** Of a patch; more than this nobody reads in a page. */
const MAX_PATCH_BYTES = 1024 * 1024;

/** What runs nothing that settings or attributes name, and does not ask files that an agent may have written. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', WHOLE_LINKS];

/** See `Git.commitView`. */
export async function commitView(room: Room, id: string): Promise<CommitView | null> {
  if (!/^[0-9a-f]{40,64}$/.test(id)) return null;
  const plain = withoutAttributes(room);
  const offline = { ...plain, env: { ...plain.env, ...OFFLINE } };
  const found = await tryGit(offline, [
    'rev-list',
    '-n',
    '1',
    '--no-commit-header',
    '--format=%P%x00%s%x00%b',
    id,
    '--',
  ]);
  // Of other objects it says nothing, and that is no error.
  if (found.exitCode !== 0 || found.stdout.length === 0) return null;
  const [parents = '', subject = '', body = ''] = line(found.stdout).split('\0');
  const base = parents.split(' ')[0] || (await emptyTree(offline));
  const [files, patch] = await Promise.all([
    read(offline, ['diff-tree', '-r', '-z', '-M', '--numstat', ...PLAIN, base, id]),
    read(offline, ['diff-tree', '-r', '-M', '-p', ...PLAIN, base, id]),
  ]);
  const truncated = patch.length > MAX_PATCH_BYTES;
  return {
    id,
    subject,
    body: body.trim(),
    files: changedFiles(files),
    patch: (truncated ? wholeLines(patch.subarray(0, MAX_PATCH_BYTES)) : patch).toString('utf8'),
    truncated,
  };
}

async function emptyTree(room: Room): Promise<string> {
  return line(await read(room, ['hash-object', '-t', 'tree', '--stdin']));
}

async function read(room: Room, args: readonly string[]): Promise<Buffer> {
  const result = await tryGit(room, args);
  if (result.exitCode !== 0) throw gitError(room, 'show a commit', result);
  return result.stdout;
}

/**
 * Records are `added TAB deleted TAB path`, numbers being `-` for binary files; of a renamed file the path is empty and
 * the old and the new one follow as records of their own.
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

/** Without the line that was cut: it might end in the middle of a character. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}
