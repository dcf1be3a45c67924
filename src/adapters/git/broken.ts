import { dirname } from 'node:path';
import { BrokenRepository } from '../../contracts/index.ts';
import { exists, readText, stat } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';

interface Damage {
  /** Matches git's message, in English. */
  readonly says: RegExp;
  /** Fixes that lose nothing, even when the guess is wrong. */
  readonly fix: (gitDir: string, said: string) => readonly string[];
}

const AGAIN = 'or clone it again, and copy over what only this folder has';

/** What git says about a repository that it cannot read. */
const DAMAGES: readonly Damage[] = [
  {
    says: /failed to sign the data|user\.signingkey|cannot run \S*(?:gpg|ssh-keygen)/i,
    fix: () => [
      "see what is missing: git commit-tree -S -m test 'HEAD^{tree}'",
      'or commit without signatures: ralph config set commit.sign false',
    ],
  },
  {
    says: /index file (?:smaller than expected|corrupt)|bad index file|bad signature|index uses .* extension/i,
    fix: (gitDir) => [`mv ${shellWord(`${gitDir}/index`)} ${shellWord(`${gitDir}/index.broken`)} && git reset`],
  },
  // First: git names the file that it could not write, which may be a lock.
  {
    says: /No space left|Out of diskspace|Disk quota|unable to write (?:new )?(?:index )?file/i,
    fix: () => ['make room on the disk: `df -h`'],
  },
  {
    says: /index\.lock|\.lock': File exists/,
    fix: (gitDir, said) => [
      `if no git process is running here: rm ${shellWord(lockIn(said) ?? `${gitDir}/index.lock`)}`,
    ],
  },
  {
    says: /bad (?:object|tree|revision)|unable to read|missing (?:blob|tree|commit)|not a valid object|could not parse|loose object|invalid object|does not point to a valid|bad ref|unable to resolve/i,
    fix: () => ['git fsck --full', 'git fetch --refetch', AGAIN],
  },
  { says: /Read-only file system/i, fix: (gitDir) => [`mount the file system of ${shellWord(gitDir)} for writing`] },
  { says: /Permission denied/i, fix: (gitDir) => [`see who may write: ls -ld ${shellWord(gitDir)}; \`ralph doctor\``] },
];

/** For an unknown message: git was ended from outside, or its message says enough. */
const ANYWAY = ['see whether git works here (`git status`), then start again: ralph continues where it stopped'];

/** Fixes for the failure of a git command. Pure. */
export function waysOutOf(said: string, gitDir: string): readonly string[] {
  return DAMAGES.find(({ says }) => says.test(said))?.fix(gitDir, said) ?? ANYWAY;
}

/** The lock of an index or a ref that stopped git. */
function lockIn(said: string): string | null {
  return /Unable to create '(.+?\.lock)': File exists/.exec(said)?.[1] ?? null;
}

/** From the output of a git command: the lines that name the error, with their file, and the last lines. Pure. */
export function gistOf(said: string): string {
  const lines = said.trim().split('\n');
  const errors = lines.slice(0, -LAST_LINES).filter((text) => /^(?:fatal|error): /.test(text));
  return [...errors.slice(0, LAST_LINES), ...lines.slice(-LAST_LINES)].join('\n');
}

const LAST_LINES = 5;

/**
 * Why git finds no work tree in a folder that contains a repository; null without one, so that one may be made.
 * @param complaint git's message
 */
export async function brokenRepository(dir: string, complaint: string): Promise<BrokenRepository | null> {
  const [, setting, line, file] = /(bad config (?:line|variable .*?) ?(\d*) in file (.+))$/m.exec(complaint) ?? [];
  if (setting !== undefined) {
    return broken('git cannot read its settings', `${file}:${line}`, reasonIn(complaint), [
      `correct line ${line} of ${file}`,
    ]);
  }
  const [, asked] = /bad (?:numeric|boolean) config value .* for '([^']+)'/.exec(complaint) ?? [];
  if (asked !== undefined)
    return broken('git cannot read its settings', dir, reasonIn(complaint), [`correct ${asked}: git config --edit`]);
  const bare = await bareAbove(dir);
  if (/must be run in a work tree/.test(complaint) || bare !== null) {
    const inGitDir = bare !== null && /(^|\/)\.git$/.test(bare);
    return inGitDir
      ? broken('this folder is inside .git, not in the work tree', dir, null, [`cd ${shellWord(dirname(bare))}`])
      : broken('this is a bare repository: it has no files to work on', bare ?? dir, null, [
          `git clone ${shellWord(bare ?? dir)} ${shellWord(`${(bare ?? dir).replace(/(\/?\.git)?$/, '')}-work`)}`,
        ]);
  }
  const gitDir = await gitDirAbove(dir);
  if (gitDir === null) return null;
  const why = reasonIn(complaint);
  if ((await stat(gitDir))?.kind === 'file')
    return broken('the repository that .git names cannot be read', gitDir, why, [
      `see where it leads: cat ${shellWord(gitDir)}`,
      'in the repository that this work tree belongs to: git worktree repair',
    ]);
  const head = (await readText(`${gitDir}/HEAD`).catch(() => null))?.trim() ?? null;
  if (head === null || !/^(ref: refs\/|[0-9a-f]{40,64}$)/.test(head)) {
    const what = head === null ? 'HEAD of the repository cannot be read' : 'HEAD of the repository is damaged';
    return broken(what, `${gitDir}/HEAD`, why, [
      `write the branch that was checked out into it: ref: refs/heads/BRANCH (there are: ls ${shellWord(`${gitDir}/refs/heads`)})`,
    ]);
  }
  return broken('git cannot read the repository', gitDir, why, [
    `see what is missing (HEAD, objects/, refs/) or unreadable: ls -la ${shellWord(gitDir)}`,
    AGAIN,
  ]);
}

/** A branch that exists but names no commit: different from one without a commit yet. */
export async function brokenBranch(gitDir: string, commonDir: string): Promise<BrokenRepository | null> {
  const [, ref] = /^ref: (refs\/\S+)/.exec((await readText(`${gitDir}/HEAD`)) ?? '') ?? [];
  if (ref === undefined || !(await exists(`${commonDir}/${ref}`))) return null;
  return broken('the branch that is checked out names no commit', `${commonDir}/${ref}`, 'the file is damaged', [
    `see where it was last: tail -1 ${shellWord(`${commonDir}/logs/${ref}`)}`,
    'git fsck --full',
    AGAIN,
  ]);
}

async function gitDirAbove(dir: string): Promise<string | null> {
  for (let at = dir; ; at = dirname(at)) {
    if (await exists(`${at}/.git`)) return `${at}/.git`;
    if (dirname(at) === at) return null;
  }
}

/** A folder that is itself a git dir: this one or one above. */
async function bareAbove(dir: string): Promise<string | null> {
  for (let at = dir; ; at = dirname(at)) {
    const parts = ['HEAD', 'objects', 'refs'].map((name) => exists(`${at}/${name}`));
    if ((await Promise.all(parts)).every(Boolean)) return at;
    if (dirname(at) === at) return null;
  }
}

function broken(what: string, where: string, why: string | null, fix: readonly string[]): BrokenRepository {
  return new BrokenRepository({ what, where, ...(why === null ? {} : { why }), fix });
}

function reasonIn(complaint: string): string | null {
  const lines = complaint.split('\n').map((line) => line.replace(/^(?:fatal|error): /, '').trim());
  return lines.find((line) => line !== '') ?? null;
}
