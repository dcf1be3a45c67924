/** Where a peer was installed: its own folder with a node_modules, or a folder that was cloned. */
export interface Installed {
  readonly folder: string;
  /** Version that the installed package gives itself; '' for a cloned folder. */
  readonly version: string;
}

/** What the task file says. */
export interface Progress {
  readonly done: number;
  readonly titles: readonly string[];
}

/** How one orchestrator is installed, configured and started. One file of adapters/ for each. */
export interface Peer {
  readonly name: string;
  /** npm packages to install, the one whose version counts first; none for what is in this repository or was cloned. */
  readonly packages: readonly string[];
  /** Why its install scripts are not run, when they cannot be. */
  readonly ignoreScripts?: string;
  /** How it was started and why so: for the page of results. */
  readonly started: string;
  /** Command that only tells the version. */
  version(installed: Installed): readonly string[];
  /** Command that works through the backlog without asking anything. */
  run(installed: Installed): readonly string[];
  /** The same after a crash; absent: as `run`. */
  resume?(installed: Installed): readonly string[];
  /** Folder in which it is started, from the project's root. */
  readonly cwd?: string;
  /** Files that a project needs for it, with this many open stories. */
  files(stories: number): Readonly<Record<string, string>>;
  /** More files when an agent may live for five seconds at most; null: it has no such setting. */
  readonly timeLimit: Readonly<Record<string, string>> | null;
  /** Its own fixed time limit for an agent, in seconds, when it has one that cannot be set. */
  readonly fixedTimeLimit?: number;
  /** The file with the stories, from the project's root. */
  readonly taskFile: string;
  /** @throws when the text cannot be read */
  progress(taskFile: string): Progress;
  /** Shell text with which its agent marks the next story done; '' where the loop does that. */
  readonly markNext: string;
  /** Shell text that marks all stories done. */
  readonly markAll: string;
  /** What its agent says when a story is done, and when that was the last. `\n` is a new line. */
  readonly says: { readonly done: string; readonly allDone: string };
  /** It never ends by itself: the harness waits for a few seconds only. */
  readonly endless?: true;
  /** Finds the processes of the loop itself by their command line, agents left out. */
  readonly loopProcess: RegExp;
}

/** Titles of the stories of every project here. */
function storyTitles(stories: number): readonly string[] {
  return Array.from({ length: stories }, (_, index) => `Write file number ${index + 1}`);
}

/** A task list as most peers have it: one box per story. */
export function checkboxes(stories: number): string {
  return `${storyTitles(stories)
    .map((title) => `- [ ] ${title}`)
    .join('\n')}\n`;
}

/** Reads {@link checkboxes} back. */
export function readCheckboxes(text: string): Progress {
  const boxes = [...text.matchAll(/^\s*- \[( |x|X)\] (.+)$/gm)];
  return { done: boxes.filter(([, mark]) => mark !== ' ').length, titles: boxes.map(([, , title = '']) => title) };
}

/** Shell text that ticks the first open box of a file, or all of them. */
export function tick(file: string): { readonly next: string; readonly all: string } {
  return { next: `sed -i '0,/- \\[ \\]/s//- [x]/' '${file}'`, all: `sed -i 's/- \\[ \\]/- [x]/' '${file}'` };
}

/** The widespread `userStories` with `passes`. */
export function storiesJson(stories: number): string {
  const userStories = storyTitles(stories).map((title, index) => ({
    id: `US-${String(index + 1).padStart(3, '0')}`,
    title,
    description: 'As a user I want one more file.',
    acceptanceCriteria: ['The file is there'],
    priority: index + 1,
    passes: false,
  }));
  return `${JSON.stringify({ project: 'peers', name: 'peers', branchName: 'main', userStories }, null, 2)}\n`;
}

/** Reads {@link storiesJson} back. @throws when it is no such JSON */
export function readStories(text: string): Progress {
  const { userStories } = JSON.parse(text) as {
    readonly userStories: readonly { readonly title: string; readonly passes: boolean }[];
  };
  return {
    done: userStories.filter(({ passes }) => passes).length,
    titles: userStories.map(({ title }) => title),
  };
}

/** Shell text that sets the first `passes` of a file, or all of them. */
export function pass(file: string): { readonly next: string; readonly all: string } {
  const what = '"passes": false';
  return {
    next: `sed -i '0,/${what}/s//"passes": true/' '${file}'`,
    all: `sed -i 's/${what}/"passes": true/' '${file}'`,
  };
}
