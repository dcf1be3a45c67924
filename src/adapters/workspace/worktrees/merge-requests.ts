import { openAppendLog } from '../../../platform/files/append-log.ts';
import { readInside } from '../../../platform/files/files-inside.ts';

/** An agent's wish to have its branch merged: a person decides. */
export interface MergeRequest {
  /** ISO 8601. */
  readonly at: string;
  readonly run: string;
  readonly story: string;
  readonly branch: string | null;
  readonly title: string;
  readonly body: string;
}

const FILE = '.ralph/state/merge-requests.jsonl';
const MOST_BYTES = 4 * 1024 * 1024;

/** A line of the file by which a person's command says that everything of a branch up to then is dealt with. */
interface Handled {
  readonly handled: string;
  /** ISO 8601: of the last request that was seen. */
  readonly upTo: string;
  /** Where it went. */
  readonly url: string;
}

/** Queues a merge request in the workspace's state. */
export function appendMergeRequest(root: string, request: MergeRequest): void {
  append(root, request);
}

/**
 * What agents ask to have merged from this branch and no person has dealt with, oldest first. Agents may write the
 * file: lines that are not as they should be are skipped.
 */
export async function openMergeRequests(root: string, branch: string): Promise<readonly MergeRequest[]> {
  const { bytes } = await readInside(root, FILE, MOST_BYTES);
  const lines = (bytes?.toString('utf8') ?? '').split('\n').flatMap(parsed);
  const seen = lines.flatMap((line) => ('handled' in line && line.handled === branch ? [line.upTo] : []));
  return lines.filter(
    (line): line is MergeRequest =>
      'title' in line && (line.branch === null || line.branch === branch) && !seen.some((upTo) => line.at <= upTo),
  );
}

/** Notes that the requests of a branch are dealt with. */
export function markMergeRequestsHandled(root: string, branch: string, upTo: string, url: string): void {
  append(root, { handled: branch, upTo, url });
}

function parsed(line: string): readonly (MergeRequest | Handled)[] {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    if (typeof value !== 'object' || value === null) return [];
    const { handled, upTo, at, story, title, branch = null, body = '' } = value;
    if (typeof handled === 'string' && typeof upTo === 'string') return [value as unknown as Handled];
    const whole = [at, story, title, body, branch ?? ''].every((field) => typeof field === 'string');
    return whole ? [{ ...value, branch, body } as unknown as MergeRequest] : [];
  } catch {
    return [];
  }
}

function append(root: string, line: MergeRequest | Handled): void {
  const log = openAppendLog(`${root}/${FILE}`);
  try {
    log.append(JSON.stringify(line));
  } finally {
    log.close();
  }
}
