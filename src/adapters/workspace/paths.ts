/** Names of the loop's files in a work tree, relative to its root. The spec folder belongs to layout.ts. */
export const STATE_FOLDER = '.ralph';
export const RUNS_FOLDER = '.ralph/runs';
export const STATUS_FILE = '.ralph/status.json';
export const MARKER_FILE = '.ralph-active';
/** Where a configuration may be, relative to the root; only one of them may exist. */
export const CONFIG_FILES = ['ralph.config.json', 'ralph.config.js', 'ralph.config.ts', '.ralph/config.json'] as const;

/** Folder of one run's events and agent logs. */
export function runFolder(run: string): string {
  return `${RUNS_FOLDER}/${run}`;
}

/** Full output of the agent in one iteration. */
export function agentLogPath(run: string, iteration: number): string {
  return `${runFolder(run)}/${iteration}.log`;
}
