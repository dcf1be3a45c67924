import { anything, as, fits, jsonObject, maybe, nullOr, type Of, object, text } from '../../../contracts/index.ts';
import { openAppendLog, readInside } from '../../../platform/index.ts';

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

const REQUEST = object({
  at: text,
  run: maybe(text),
  story: text,
  title: text,
  body: maybe(text),
  branch: maybe(nullOr(text)),
});

/** A person's command marks all requests of a branch up to a time as handled, by the merge request that it opened. */
const HANDLED = object({ handled: text, upTo: text, url: as<string>(anything) });
type Handled = Of<typeof HANDLED>;

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

function parsed(line: string): readonly (MergeRequest | Handled)[] {
  const value = jsonObject(line);
  if (fits(HANDLED, value)) return [value];
  return fits(REQUEST, value) ? [{ branch: null, body: '', run: '', ...value }] : [];
}

function append(root: string, line: MergeRequest | Handled): void {
  const log = openAppendLog(`${root}/${FILE}`);
  try {
    log.append(JSON.stringify(line));
  } finally {
    log.close();
  }
}
