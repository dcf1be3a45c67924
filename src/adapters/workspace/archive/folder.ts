import { posix } from 'node:path';
import { UsageError } from '../../../contracts/errors.ts';
import { exists, stat } from '../../../platform/files/files.ts';
import { shellWord } from '../../../rules/shell-word.ts';
import { slug, type Workspace } from '../layout.ts';

const FOLDER = 'ralph-archive';
const LABEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Names that Windows keeps for devices, whatever follows the dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * The name of an archive as a person gave it, else that of the branch.
 * @throws UsageError for a label that cannot be the name of a folder everywhere
 */
export function archiveLabel(label: string | undefined, branch: string | null, name: string): string {
  if (label === undefined) return slug((branch ?? name).replace(/^ralph\//, ''));
  if (LABEL.test(label) && !label.endsWith('.') && !DEVICE.test(label)) return label;
  throw new UsageError({
    what: `'${label}' cannot be the label of an archive`,
    why: 'it becomes part of a folder name: at most 64 letters, digits, and . _ - between them',
    mend: [`--label ${slug(label)}`],
  });
}

/**
 * A free folder beside the spec folder, `ralph-archive/<date>-<label>`; the second one of a day gets `-2`, and so on.
 * @throws UsageError where `ralph-archive` is no folder
 */
export async function freeArchiveFolder(workspace: Workspace, label: string, now: number): Promise<string> {
  const archives = posix.join(projectOf(workspace), FOLDER);
  const found = await stat(`${workspace.root}/${archives}`);
  if (found !== null && found.kind !== 'dir') throw noFolder(archives, found.kind === 'symlink');
  const base = posix.join(archives, `${new Date(now).toISOString().slice(0, 10)}-${label}`);
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? base : `${base}-${number}`;
    if (!(await exists(`${workspace.root}/${folder}`))) return folder;
  }
}

function noFolder(path: string, isLink: boolean): UsageError {
  return new UsageError({
    what: `${path} is ${isLink ? 'a link' : 'no folder'}`,
    where: path,
    why: isLink
      ? 'what lies behind it is no part of this repository, and could not be committed'
      : 'archives are folders in it',
    mend: [`put a folder there: mv ${shellWord(path)} ${shellWord(`${path}-old`)}`],
  });
}

/** The folder that the spec folder belongs to: a monorepo has several. */
function projectOf({ kind, specDir }: Workspace): string {
  if (kind === 'prd') return posix.dirname(posix.dirname(specDir));
  return kind === 'classic' ? specDir : posix.dirname(specDir);
}
