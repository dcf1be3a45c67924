import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from '../../scripts/build/page.ts';
import { openGit } from '../../src/adapters/git/index.ts';
import { listRunSummaries, projectAt } from '../../src/adapters/workspace/index.ts';
import type { EventBody, StreamStanding, WorkerStanding } from '../../src/contracts/index.ts';
import { aRunStart } from '../../src/contracts/run-start.fixture.ts';
import { type FleetSource, startDashboard } from '../../src/surfaces/dashboard/index.ts';
import { mintToken } from '../../src/surfaces/server/index.ts';

/** A dashboard of one repository with many work trees, whose runs are written here. */
export interface Many {
  readonly address: string;
  /** The run of a work tree. */
  hrefOf(tree: string): string;
  /** Writes on the log of a work tree's run. */
  log(tree: string, ...events: readonly LoggedEvent[]): Promise<void>;
  /** Makes the run of a work tree one that a live process works on. */
  live(tree: string): Promise<void>;
  close(): Promise<void>;
}

export type LoggedEvent = EventBody & { readonly iteration?: number };

const RUN = '20260101-090000-abcd';
const HEADER = '{"version":1,"run":"20260101-090000-abcd"}\n';

/** @param trees folders in `.ralph/worktrees` of the repository, with the logs of their runs; the empty name is the main one */
export async function makeMany(
  trees: Readonly<Record<string, readonly LoggedEvent[]>>,
  fleet: FleetSource | null = null,
): Promise<Many> {
  const base = await mkdtemp(join(tmpdir(), 'ralph-many-'));
  const main = join(base, 'shop');
  const rootOf = (tree: string) => (tree === '' ? main : join(main, '.ralph/worktrees', tree));
  const projects = Object.keys(trees).map((tree) => projectAt({ root: rootOf(tree), repository: join(main, '.git') }));
  const lines = new Map<string, string>();
  const log = async (tree: string, ...events: readonly LoggedEvent[]) => {
    const folder = join(rootOf(tree), '.ralph/runs', RUN);
    await mkdir(folder, { recursive: true });
    // A process that was there a moment ago would count as one that still writes its marker.
    const ts = new Date(Date.now() - 60_000).toISOString();
    const added = events.map((event) => JSON.stringify({ ts, run: RUN, iteration: 0, ...event }));
    const text = `${lines.get(tree) ?? HEADER}${added.map((line) => `${line}\n`).join('')}`;
    lines.set(tree, text);
    await writeFile(join(folder, 'events.jsonl'), text);
  };
  for (const [tree, events] of Object.entries(trees)) await log(tree, ...events);
  const page = join(base, 'page');
  await mkdir(page);
  for (const [name, text] of Object.entries((await buildPage()).files)) await writeFile(join(page, name), text);
  const token = mintToken();
  const server = await startDashboard({
    host: '127.0.0.1',
    port: 0,
    names: ['127.0.0.1', 'localhost'],
    token,
    readToken: async () => token,
    version: '1.0.0',
    now: Date.now,
    pageFolder: page,
    openGit: (at) => openGit(at, { unborn: true }),
    catalogue: { projects: async () => projects, runs: (one) => listRunSummaries(one, { limit: 30 }) },
    fleet,
    operate: async () => ({ text: 'done' }),
  });
  return {
    address: `http://127.0.0.1:${server.port}/?token=${token}`,
    hrefOf: (tree) => `#/run/${projectAt({ root: rootOf(tree), repository: '' }).id}/${RUN}`,
    log,
    async live(tree) {
      const now = new Date().toISOString();
      const marker = { version: 1, run: RUN, timestamp: now, heartbeat: now, pid: process.pid, host: hostname() };
      await writeFile(join(rootOf(tree), '.ralph-active'), JSON.stringify(marker));
    },
    async close() {
      await server.close();
      await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

export function started(branch: string, done: number, total: number): LoggedEvent {
  return aRunStart({
    ralph: '1.0.0',
    isolation: 'bubblewrap',
    branch,
    stories: { total, done, blocked: 0 },
    pid: 1,
  });
}

export function selected(iteration: number, story: string, title: string): LoggedEvent {
  return { type: 'select', iteration, mode: 'implement', story, title, attempt: 1, reviewCount: 0 };
}

export const TURN_OVER: LoggedEvent = { type: 'turn-end', next: 'next', until: null, why: null, text: '' };

export function standing(stream: string, more: Partial<StreamStanding> = {}): StreamStanding {
  return {
    stream,
    state: 'ready',
    turns: 0,
    attempts: 0,
    worker: null,
    until: null,
    text: '',
    costUsd: 0,
    ended: null,
    ...more,
  };
}

export function worker(name: string, more: Partial<WorkerStanding> = {}): WorkerStanding {
  return { worker: name, host: 'build-1', capacity: 2, streams: [], state: 'working', since: 0, ...more };
}
