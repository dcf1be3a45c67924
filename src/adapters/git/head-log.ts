import { readBytes, stat } from '../../platform/files/files.ts';
import type { Checkpoint, HeadMove, Repo } from './port.ts';

/**
 * `GIT_REFLOG_ACTION` of processes that an agent starts where it works in the person's own git dir: what git writes
 * into the log of HEAD for them begins with it.
 */
export const AGENT_ACTION = 'ralph agent';
/** What this product itself moves is logged with this before it. */
const OWN_ACTION = 'ralph: ';
/** A longer log than that was not written by hand. */
const MOST_LOG_BYTES = 16 * 1024 * 1024;

/** How long the log of HEAD is: what a checkpoint remembers, so that later entries are known. */
export async function headLogSize({ gitDir }: Pick<Repo, 'gitDir'>): Promise<number> {
  const found = await stat(logOf(gitDir));
  return found?.kind === 'file' ? found.size : 0;
}

/** See `Git.movesSince`. */
export async function movesSince(
  { gitDir }: Pick<Repo, 'gitDir'>,
  { headLog }: Pick<Checkpoint, 'headLog'>,
): Promise<readonly HeadMove[]> {
  const found = await stat(logOf(gitDir));
  if (headLog === undefined || found?.kind !== 'file') return [];
  // A shorter one was written anew: which of its lines are later is not known.
  if (found.size <= headLog || found.size - headLog > MOST_LOG_BYTES) return [];
  const bytes = await readBytes(logOf(gitDir));
  return bytes === null ? [] : movesIn(Buffer.from(bytes).subarray(headLog).toString('utf8'));
}

const ENTRY = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> \d+ [+-]\d{4}(?:\t(.*))?$/;

/** The entries of a log of HEAD, oldest first; lines that are none are passed over. */
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
