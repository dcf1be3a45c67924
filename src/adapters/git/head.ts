import { readBytes, readText, stat } from '../../platform/index.ts';
import type { Checkpoint, HeadMove, Repo } from './port.ts';

/**
 * `GIT_REFLOG_ACTION` of processes that an agent starts while it works in the person's own git dir: git begins their
 * entries in the log of HEAD with it.
 */
export const AGENT_ACTION = 'ralph agent';
/** Prefix of the log entries for moves that ralph makes. */
const OWN_ACTION = 'ralph: ';
/** A longer log was not written by hand. */
const MOST_LOG_BYTES = 16 * 1024 * 1024;

/** The length of the log of HEAD: a checkpoint records it, so that later entries can be recognised. */
export async function headLogSize({ gitDir }: Pick<Repo, 'gitDir'>): Promise<number> {
  const found = await stat(logOf(gitDir));
  return found?.kind === 'file' ? found.size : 0;
}

export async function movesSince(
  { gitDir }: Pick<Repo, 'gitDir'>,
  { headLog }: Pick<Checkpoint, 'headLog'>,
): Promise<readonly HeadMove[]> {
  const found = await stat(logOf(gitDir));
  if (headLog === undefined || found?.kind !== 'file') return [];
  // A shorter log was rewritten: which of its lines are later is unknown.
  if (found.size <= headLog || found.size - headLog > MOST_LOG_BYTES) return [];
  const bytes = await readBytes(logOf(gitDir));
  return bytes === null ? [] : movesIn(Buffer.from(bytes).subarray(headLog).toString('utf8'));
}

const ENTRY = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> \d+ [+-]\d{4}(?:\t(.*))?$/;

/** The entries of a log of HEAD, oldest first; other lines are skipped. */
function movesIn(log: string): readonly HeadMove[] {
  return log.split('\n').flatMap((text) => {
    const [, from, to, message = ''] = ENTRY.exec(text) ?? [];
    return from === undefined || to === undefined ? [] : [{ from, to, message, by: madeBy(message) }];
  });
}

function madeBy(message: string): HeadMove['by'] {
  if (message.startsWith(AGENT_ACTION)) return 'agent';
  return message.startsWith(OWN_ACTION) ? 'loop' : 'person';
}

function logOf(gitDir: string): string {
  return `${gitDir}/logs/HEAD`;
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;
/** Ordinary names only: git treats others specially, and none of these leads out of the folder. */
const ON_BRANCH = /^ref: (refs\/heads\/[\w-][\w.+@-]*(?:\/[\w-][\w.+@-]*)*)\n$/;

/**
 * HEAD and its branch as their files have them, without starting git. A branch's own file overrides all other places
 * where git keeps refs.
 * @returns null where only git can tell: a packed, symbolic or unborn branch, another ref storage
 */
export async function looseHead({
  gitDir,
  commonDir,
}: Pick<Repo, 'gitDir' | 'commonDir'>): Promise<{ readonly commit: string; readonly branch: string | null } | null> {
  const head = (await readOwn(`${gitDir}/HEAD`)) ?? '';
  const [, detached] = COMMIT.exec(head) ?? [];
  if (detached !== undefined) return { commit: detached, branch: null };
  const [, branch] = ON_BRANCH.exec(head) ?? [];
  if (branch === undefined || branch.includes('..')) return null;
  const [, commit] = COMMIT.exec((await readOwn(`${commonDir}/${branch}`)) ?? '') ?? [];
  return commit === undefined ? null : { commit, branch };
}

/** A link would be an old-style symbolic ref. */
async function readOwn(path: string): Promise<string | null> {
  return (await stat(path).catch(() => null))?.kind === 'file' ? readText(path) : null;
}
