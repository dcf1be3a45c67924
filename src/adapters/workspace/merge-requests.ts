import { openAppendLog } from '../../platform/append-log.ts';

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

/** Queues a merge request in the workspace's state. */
export function appendMergeRequest(root: string, request: MergeRequest): void {
  const log = openAppendLog(`${root}/${FILE}`);
  try {
    log.append(JSON.stringify(request));
  } finally {
    log.close();
  }
}
