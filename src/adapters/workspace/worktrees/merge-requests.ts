import { openAppendLog, readInside } from '../../../platform/index.ts';
import { absentOr, jsonObject, nullOr, object, text } from '../../../rules/shape/index.ts';

/** An agent's request to merge its branch: a person decides. */
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

/** A line of the file with which a user's command marks all requests of a branch up to a time as handled. */
interface Handled {
  readonly handled: string;
  /** ISO 8601: of the last request the user saw. */
  readonly upTo: string;
  /** URL of the merge request that the command opened. */
  readonly url: string;
}

/** Queues a merge request in the workspace's state. */
export function appendMergeRequest(root: string, request: MergeRequest): void {
  append(root, request);
}

/**
 * Agents' open requests to merge this branch, which no person has handled, oldest first. Agents may write the file:
 * invalid lines are skipped.
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

/** Records that the requests of a branch are handled. */
export function markMergeRequestsHandled(root: string, branch: string, upTo: string, url: string): void {
  append(root, { handled: branch, upTo, url });
}

const HANDLED = object({ handled: text, upTo: text });
const REQUEST = object({ at: text, story: text, title: text, body: absentOr(text), branch: absentOr(nullOr(text)) });

function parsed(line: string): readonly (MergeRequest | Handled)[] {
  const value = jsonObject(line);
  if (HANDLED(value) === null) return [value as unknown as Handled];
  return REQUEST(value) === null ? [{ branch: null, body: '', ...value } as unknown as MergeRequest] : [];
}

function append(root: string, line: MergeRequest | Handled): void {
  const log = openAppendLog(`${root}/${FILE}`);
  try {
    log.append(JSON.stringify(line));
  } finally {
    log.close();
  }
}
