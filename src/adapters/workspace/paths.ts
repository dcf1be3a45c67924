/** Names of what the loop keeps in a work tree, relative to its root. The spec folder is layout.ts's business. */
export const STATE_FOLDER = '.ralph';
export const RUNS_FOLDER = '.ralph/runs';
export const STATUS_FILE = '.ralph/status.json';
export const MARKER_FILE = '.ralph-active';

/** Folder of one run's events and agent logs. */
export function runFolder(run: string): string {
  return `${RUNS_FOLDER}/${run}`;
}

/** Full output of the agent in one iteration. */
export function agentLogPath(run: string, iteration: number): string {
  return `${runFolder(run)}/${iteration}.log`;
}
