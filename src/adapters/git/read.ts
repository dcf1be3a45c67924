import { WHOLE_LINKS } from './checkpoint.ts';
import { pathFromBytes, pathToBytes, splitNul } from './lists.ts';
import type { CommitView } from './port.ts';
import { gitError, line, OFFLINE, type Room, runGit, tryGit } from './room.ts';

/**
 * The same repository for differences that people read: attributes of the work tree, which an agent may have written,
 * neither hide a file nor change how it is shown. Git looks for them where it is started, and that folder has none.
 */
export function withoutAttributes(room: Room): Room {
  const empty = { GIT_WORK_TREE: room.objects, GIT_INDEX_FILE: `${room.objects}/no-index` };
  return { ...room, repo: { ...room.repo, root: room.objects }, realRoot: null, env: { ...room.env, ...empty } };
}

export async function show(room: Room, treeish: string, path: string): Promise<Uint8Array | null> {
  // On standard input: arguments cannot carry every path.
  const name = Buffer.concat([Buffer.from(`${treeish}:`), pathToBytes(path), Buffer.of(0)]);
  const output = await runGit(room, `read ${path}`, ['cat-file', '--batch', '-z'], name);
  const end = output.indexOf('\n');
  const [, type, size] = output.subarray(0, end).toString('latin1').split(' ');
  if (type !== 'blob' || size === undefined) return null;
  return output.subarray(end + 1, end + 1 + Number(size));
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
  const found = await tryGit(offline, [
    'rev-list',
    '-n',
    '1',
    '--no-commit-header',
    '--format=%P%x00%s%x00%b',
    id,
    '--',
  ]);
  // For other objects it prints nothing, which is no error.
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

/** Without the line that was cut: it might end in the middle of a character. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}
