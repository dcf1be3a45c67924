import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Overview, RunSnapshot } from '../../src/surfaces/dashboard/index.ts';
import { type Ended, easySteps, makeProject, type Project } from '../support/project.ts';
import { READY, write } from '../support/says.ts';
import { until } from '../support/until.ts';

/** `ralph dashboard` as people start it, on real runs. The page itself: test/browser. */

let project: Project;
const started: ReturnType<Project['start']>[] = [];
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.splice(0).map(({ ended }) => ended));
  await project?.remove();
});

interface Served {
  readonly address: string;
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly child: ReturnType<Project['start']>['child'];
  readonly ended: Promise<Ended>;
  get<T>(path: string): Promise<T>;
  act(id: string, action: object): Promise<{ readonly text?: string; readonly error?: string }>;
}

/** Starts something that prints the address of a dashboard, and waits for that. */
async function serve(args: readonly string[]): Promise<Served> {
  const { child, ended } = project.start(args);
  started.push({ child, ended });
  let said = '';
  child.stdout?.on('data', (text: string) => {
    said += text;
  });
  await until(async () => /\?token=[\w-]{43}\n/.test(said));
  return servedAt(/http:\S+/.exec(said)?.[0] ?? '', child, ended);
}

function servedAt(address: string, child: Served['child'], ended: Promise<Ended>): Served {
  const { origin: url, port, searchParams } = new URL(address);
  const token = searchParams.get('token') ?? '';
  const headers = { authorization: `Bearer ${token}` };
  return {
    address,
    url,
    port: Number(port),
    token,
    child,
    ended,
    get: async <T>(path: string) => (await (await fetch(url + path, { headers })).json()) as T,
    act: async (id, action) => {
      const answer = await fetch(`${url}/api/projects/${id}/control`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(action),
      });
      return (await answer.json()) as { text?: string; error?: string };
    },
  };
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** A program that has a port and is not ours. It keeps what it is asked. */
async function squatter() {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.url} ${incoming.headers.authorization}`);
    outgoing.end('{"proof":"no"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, asked, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}

describe('ralph dashboard', () => {
  test('shows a run that ended: overview, view, lines, commit and report', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
    expect((await project.run()).code).toBe(0);
    const served = await serve(['dashboard', '--port', '0']);
    expect((await fetch(`${served.url}/`)).status).toBe(401);
    const overview = await served.get<Overview>('/api/overview');
    const [run] = overview.runs;
    expect(overview.projects.map(({ root }) => root)).toEqual([project.root]);
    expect(run).toMatchObject({ state: 'ended', stories: { total: 1, done: 1 }, ended: { exitCode: 0 } });
    const path = `/api/projects/${run?.project}/runs/${run?.run}`;
    const { view } = await served.get<RunSnapshot>(path);
    const commit = view.iterations.find((row) => row.commit !== null)?.commit;
    expect(await served.get(`${path}/commits/${commit?.id}`)).toMatchObject({
      subject: commit?.subject,
      truncated: false,
    });
    const other = await project.git('rev-list', '--max-parents=0', 'HEAD');
    expect(await served.get(`${path}/commits/${other}`)).toEqual({ error: expect.stringContaining('no such commit') });
    const report = await fetch(`${served.url}${path}/report`, { headers: { authorization: `Bearer ${served.token}` } });
    expect(report.headers.get('content-disposition')).toContain(`ralph-report-${run?.run}.html`);
    expect(await report.text()).toContain('US-001');
    const page = await fetch(`${served.url}/`, { headers: { authorization: `Bearer ${served.token}` } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    served.child.kill('SIGTERM');
    expect((await served.ended).code).toBe(0);
  });

  test('lets a person pause and resume a live run, and says what cannot be done', async () => {
    project = await makeProject({
      stories: [{ id: 'US-001' }],
      steps: [
        {
          when: { mode: 'implement' },
          do: [{ 'wait-for-file': '../outside/may-go' }, write('a.txt', 'a\n'), READY],
        },
        ...easySteps('US-001'),
      ],
    });
    const served = await serve(['dashboard', '--port', '0']);
    const [here] = (await served.get<Overview>('/api/overview')).projects;
    expect((await served.act(here?.id ?? '', { do: 'pause' })).error).toContain('no run is active');
    const run = project.start(['run', '--scenario', project.scenario]);
    started.push(run);
    const state = async () => (await served.get<Overview>('/api/overview')).runs[0]?.state;
    await until(async () => (await state()) === 'running');
    expect((await served.act(here?.id ?? '', { do: 'pause' })).text).toBeTruthy();
    await project.write('../outside/may-go', '');
    await until(async () => (await state()) === 'paused');
    await served.act(here?.id ?? '', { do: 'resume' });
    expect((await run.ended).code).toBe(0);
    await until(async () => (await state()) === 'ended');
  });

  test('is one per port and person: a second start prints the address of the first', async () => {
    project = await makeProject();
    const first = await serve(['dashboard', '--port', '0']);
    const second = await project.ralph(['dashboard', '--port', String(first.port)]);
    expect([second.code, second.stdout]).toEqual([0, `${first.address}\n`]);
    const third = await project.ralph(['dashboard', '--port', String(first.port), '--new-token']);
    expect(third.code).toBe(0);
    expect(third.stdout).not.toBe(second.stdout);
    const headers = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const token = new URL(third.stdout.trim()).searchParams.get('token') ?? '';
    await until(async () => (await fetch(`${first.url}/api/overview`, headers(token))).status === 200);
    expect((await fetch(`${first.url}/api/overview`, headers(first.token))).status).toBe(401);
  });

  test("tells no other program the token, and leaves another program's port", async () => {
    project = await makeProject();
    const other = await squatter();
    try {
      const refused = await project.ralph(['dashboard', '--port', String(other.port)]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('another program uses this port')]);
      await project.write('ralph.config.json', JSON.stringify({ dashboard: { port: other.port } }));
      const served = await serve(['dashboard']);
      expect(served.port).toBeGreaterThan(other.port);
      expect(other.asked.filter((line) => line.includes(served.token))).toEqual([]);
      expect(other.asked.length).toBeGreaterThan(0);
    } finally {
      await other.close();
    }
  });

  test('is refused inside an agent, and for what is no port', async () => {
    project = await makeProject();
    const inside = await project.ralph(['dashboard'], { RALPH_RUN_ID: 'x' });
    expect([inside.code, inside.stdout]).toEqual([2, '']);
    for (const port of ['x', '-1', '65536', '80.5']) {
      expect([port, (await project.ralph(['dashboard', `--port=${port}`])).code]).toEqual([port, 2]);
    }
  });
});

describe('ralph run --dashboard', () => {
  const held = {
    stories: [{ id: 'US-001' }],
    steps: [
      { when: { mode: 'implement' }, do: [{ 'wait-for-file': '../outside/may-go' }, READY] },
      ...easySteps('US-001'),
    ],
  };
  const runArgs = () => ['run', '--scenario', project.scenario, '--dashboard', '--once'];

  test('serves the run while it goes on, and ends with it; no event holds the token', async () => {
    project = await makeProject(held);
    await project.write('ralph.config.json', JSON.stringify({ dashboard: { port: 0 } }));
    await project.git('add', '-A');
    await project.git('commit', '-qm', 'port');
    const served = await serve(runArgs());
    await until(async () => (await served.get<Overview>('/api/overview')).runs[0]?.state === 'running');
    const [run] = (await served.get<Overview>('/api/overview')).runs;
    await project.write('../outside/may-go', '');
    await served.ended;
    await until(async () => !(await answers(served.url)));
    expect(await project.read(`.ralph/runs/${run?.run}/events.jsonl`)).not.toContain(served.token);
  });

  test('leaves nothing behind when the run is killed', async () => {
    project = await makeProject(held);
    await project.write('ralph.config.json', JSON.stringify({ dashboard: { port: 0 } }));
    await project.git('add', '-A');
    await project.git('commit', '-qm', 'port');
    const served = await serve(runArgs());
    expect(await answers(served.url)).toBe(true);
    served.child.kill('SIGKILL');
    await until(async () => !(await answers(served.url)));
  });

  test('goes on without one where the port is taken', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
    const other = await squatter();
    try {
      const run = await project.run(['--dashboard', String(other.port)]);
      expect([run.code, run.stderr]).toEqual([
        0,
        expect.stringContaining('warning: the dashboard could not be started'),
      ]);
    } finally {
      await other.close();
    }
  });
});
