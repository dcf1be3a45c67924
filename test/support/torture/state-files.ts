/**
 * Every file that a user, an agent or ralph itself writes and ralph reads.
 *
 * `user`: the backlog and its company; fixed from the last commit. `state`: what recovery and counting need; fixed
 * by taking the damaged one away. `view`: for people; no run may stop because of it.
 */
export const STATE_FILES = {
  'tasks.json': { place: 'root', path: 'ralph/tasks.json', owner: 'user' },
  'prd.md': { place: 'root', path: 'ralph/prd.md', owner: 'user' },
  'progress log': { place: 'root', path: 'ralph/progress.txt', owner: 'user' },
  'prompt template': { place: 'root', path: 'ralph/prompt.md', owner: 'user' },
  'reviews.json': { place: 'root', path: 'ralph/reviews.json', owner: 'user' },
  configuration: { place: 'root', path: 'ralph.config.json', owner: 'user' },
  journal: { place: 'git', path: 'ralph/journal/lane-0.json', owner: 'state' },
  'journal folder': { place: 'git', path: 'ralph/journal', owner: 'state' },
  ledger: { place: 'git', path: 'ralph/ledger.jsonl', owner: 'state' },
  'run record': { place: 'git', path: 'ralph/run.json', owner: 'state' },
  steering: { place: 'git', path: 'ralph/steering.jsonl', owner: 'state' },
  lock: { place: 'git', path: 'ralph/lock', owner: 'state' },
  'shadow git dir': { place: 'git', path: 'ralph/shadow', owner: 'view' },
  'shadow index': { place: 'git', path: 'ralph/shadow/index', owner: 'view' },
  'shadow config': { place: 'git', path: 'ralph/shadow/config', owner: 'view' },
  'saved index': { place: 'git', path: 'ralph/index-lane-0', owner: 'state' },
  'work folder': { place: 'git', path: 'ralph/work', owner: 'view' },
  'state folder': { place: 'root', path: '.ralph', owner: 'view' },
  'status.json': { place: 'root', path: '.ralph/status.json', owner: 'view' },
  'event logs': { place: 'root', path: '.ralph/runs', owner: 'view' },
  'backlog snapshot': { place: 'root', path: '.ralph/state/backlog-snapshot.json', owner: 'view' },
  'folder of state': { place: 'root', path: '.ralph/state', owner: 'view' },
  'ignore file': { place: 'root', path: '.ralph/.gitignore', owner: 'view' },
  'session log': { place: 'root', path: '.ralph/sessions.log', owner: 'view' },
  'active marker': { place: 'root', path: '.ralph-active', owner: 'view' },
  'known projects': { place: 'home', path: '.local/state/ralph/projects', owner: 'view' },
  'state home': { place: 'home', path: '.local/state/ralph', owner: 'view' },
} as const satisfies Readonly<Record<string, StateFile>>;

interface StateFile {
  readonly place: 'root' | 'git' | 'home';
  readonly path: string;
  readonly owner: 'user' | 'state' | 'view';
}

export type StateFileName = keyof typeof STATE_FILES;

export const STATE_FILE_NAMES = Object.keys(STATE_FILES) as readonly StateFileName[];
