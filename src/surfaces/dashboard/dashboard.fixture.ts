import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { openGit } from '../../adapters/git/index.ts';
import { listRunSummaries, projectAt } from '../../adapters/workspace/index.ts';
import type { ControlAction, EventBody } from '../../contracts/index.ts';
import { makeTempDir, openAppendLog, remove, writeAtomic } from '../../platform/index.ts';
import { mintToken } from '../server/index.ts';
import { openKeyRing } from './door.ts';
import { type Dashboard, type DashboardOptions, startDashboard } from './start.ts';

export const RUN = '20260101-090000-abcd';
/** The first line of its log. */
export const HEADER = `${JSON.stringify({ type: 'log', version: 1, run: RUN })}\n`;

export interface TestDashboard extends Dashboard {
  readonly url: string;
  readonly token: string;
  readonly root: string;
  readonly project: string;
  /** `/api/projects/<project>/runs/<run>` */
  readonly run: string;
  readonly cookie: string;
  readonly done: readonly (readonly [root: string, action: ControlAction])[];
  /** Puts another token in force. */
  renew(token: string): void;
  /** With the token, unless the headers say otherwise. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Appends events to the run's log. */
  log(...events: readonly (EventBody & { readonly iteration?: number })[]): Promise<void>;
  readonly logFile: string;
}

/** A dashboard on a project with one run, closed when the test ends. */
export async function testDashboard(change: Partial<DashboardOptions> = {}): Promise<TestDashboard> {
  const base = await makeTempDir('ralph-dashboard-');
  const [root, pageFolder] = [`${base}/project`, `${base}/page`];
  for (const name of ['index.html', 'app.js', 'app.css', 'icon.svg']) await writeAtomic(`${pageFolder}/${name}`, name);
  const logFile = `${root}/.ralph/runs/${RUN}/events.jsonl`;
  await writeAtomic(logFile, HEADER);

  const project = projectAt({ root, repository: `${root}/.git` });
  const done: [string, ControlAction][] = [];
  const first = mintToken();
  let kept = first;
  const server = await startDashboard({
    host: '127.0.0.1',
    port: 0,
    names: ['127.0.0.1', 'localhost'],
    token: first,
    readToken: async () => kept,
    version: '1.2.3',
    now: Date.now,
    pageFolder,
    openGit: (at) => openGit(at, { unborn: true }),
    catalogue: { projects: async () => [project], runs: (one) => listRunSummaries(one, { limit: 10 }) },
    fleet: null,
    operate: async (at, action) => {
      done.push([at, action]);
      return { text: 'done' };
    },
    ...change,
  });
  onTestFinished(async () => {
    await server.close();
    await remove(base);
  });
  const url = `http://127.0.0.1:${server.port}`;
  const bearer = { authorization: `Bearer ${first}` };
  return {
    ...server,
    url,
    token: first,
    root,
    project: project.id,
    run: `/api/projects/${project.id}/runs/${RUN}`,
    cookie: `ralph-${server.port}=${
      openKeyRing(
        first,
        async () => null,
        () => {},
      ).keys().read
    }`,
    done,
    renew(token) {
      kept = token;
    },
    get: (path, headers = bearer) => fetch(`${url}${path}`, { headers, redirect: 'manual' }),
    post: (body, headers = bearer) =>
      fetch(`${url}/api/projects/${project.id}/control`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async log(...events) {
      const log = openAppendLog(logFile);
      for (const event of events) {
        log.append(JSON.stringify({ ts: '2026-01-01T09:00:00.000Z', run: RUN, iteration: 1, ...event }));
      }
      log.close();
    },
    logFile,
  };
}

/** Sends bytes as they are and resolves with all of the answer once the connection is closed. */
export function raw(port: number, text: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let said = '';
    socket.setEncoding('utf8').on('data', (part) => {
      said += part;
    });
    // One that is cut off in the middle of sending has its answer all the same.
    socket.on('error', () => {});
    socket.once('close', () => resolve(said));
  });
}

/** The first line of the answer to a request that asks for the connection to be closed. */
export async function status(port: number, head: readonly string[], body = ''): Promise<number> {
  const said = await raw(port, `${[...head, 'Connection: close', '', body].join('\r\n')}`);
  return Number(said.split(' ')[1] ?? 0);
}

export function says(text: string): EventBody {
  return { type: 'agent', event: { type: 'text', text } };
}
