import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { listRuns } from '../../adapters/workspace/index.ts';
import type { Operate } from '../../contracts/index.ts';
import { readBytes } from '../../platform/index.ts';
import { readBody } from '../server/index.ts';
import type { ProjectInfo } from './api.ts';
import { readAction } from './control.ts';
import { type Door, type Judgement, type KeyRing, openThrottle, proofOf, type Rights } from './door.ts';
import type { FleetFeed } from './fleet.ts';
import type { OverviewFeed } from './overview.ts';
import { numberIn, Refused, readLinesQuery, refusedBy, refuseForeignRequests, type Seats } from './requests.ts';
import type { RunAnswers } from './run-answers.ts';
import { startSse } from './sse.ts';

interface Parts {
  /** The names the server answers to, in lower case. */
  readonly names: readonly string[];
  readonly ring: KeyRing;
  readonly door: Door;
  readonly page: ReadonlyMap<string, PageFile>;
  readonly overview: OverviewFeed;
  readonly fleet: FleetFeed;
  readonly runs: RunAnswers;
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly seats: Seats;
  readonly operate: Operate;
  readonly now: () => number;
}

interface Env {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly rights: Rights };
}

/** Fits the longest note with every byte escaped. */
const MAX_BODY_BYTES = 512 * 1024;
/** Limit of actions: more than any person needs. */
const ACTIONS = { burst: 30, perSecond: 2 };
const RUN = '/api/projects/:project/runs/:run';

/** The routes of the dashboard; `api.ts` says what each one answers. */
export function dashboardApp(parts: Parts): Hono<Env> {
  const { door, overview, runs, seats } = parts;
  const actions = openThrottle(ACTIONS, parts.now);
  const app = new Hono<Env>();

  // Before any route: checks the origin of a request, then its rights.
  app.use(async (c, next) => {
    const { headers, headersDistinct, socket } = c.env.incoming;
    // Node takes the first, a proxy in front may take the last.
    if ((headersDistinct['host']?.length ?? 0) > 1) throw new Refused(400, 'a request must have one Host header');
    const port = socket.localPort ?? 0;
    refuseForeignRequests({ method: c.req.method, path: c.req.path, headers, port }, parts.names);
    const challenge = c.req.path === '/proof' ? c.req.query('challenge') : undefined;
    if (challenge !== undefined) return prove(c, parts.ring, port, challenge);
    const token = c.req.path === '/' ? c.req.query('token') : undefined;
    if (token !== undefined) return enter(c, door, token);
    c.set('rights', rightsOf(door.judge(headers)));
    await next();
  });

  for (const [address, file] of parts.page) app.get(address, (c) => sendFile(c, file));

  app.get('/api/overview', async (c) => c.json(await overview.look()));
  app.get('/api/overview/stream', async (c) => {
    const outgoing = openStream(c, seats);
    await overview.join(outgoing);
    return RESPONSE_ALREADY_SENT;
  });

  app.get('/api/fleet', async (c) => c.json(await parts.fleet.look()));

  app.get(RUN, async (c) => c.body(await runs.snapshot(await placeOf(c)), 200, { 'content-type': 'application/json' }));
  app.get(`${RUN}/lines`, async (c) => c.json(await runs.lines(await placeOf(c), readLinesQuery(c.req.query()))));
  app.get(`${RUN}/commits/:id`, async (c) => c.json(await runs.commit(await placeOf(c), c.req.param('id'))));
  app.get(`${RUN}/stories/:id`, async (c) => c.json(await runs.story(await placeOf(c), c.req.param('id'))));
  app.get(`${RUN}/report`, async (c) => {
    const place = await placeOf(c);
    c.header('content-disposition', `attachment; filename="ralph-report-${place.run}.html"`);
    return c.html(await runs.report(place));
  });
  app.get(`${RUN}/stream`, async (c) => {
    const place = await placeOf(c);
    const after =
      numberIn('the last event id', c.req.header('last-event-id')) ?? numberIn('after', c.req.query('after'));
    const outgoing = openStream(c, seats);
    await runs.join(place, outgoing, after ?? 0);
    return RESPONSE_ALREADY_SENT;
  });

  app.post('/api/projects/:project/control', async (c) => {
    if (c.get('rights') !== 'control')
      throw new Refused(403, 'this browser has read-only access', { fix: GET_CONTROL });
    const wait = actions.take();
    if (wait > 0) throw new Refused(429, 'too many actions at once', { retryAfter: wait });
    const project = await projectNamed(overview, c.req.param('project'));
    const read = readAction(await bodyOf(c));
    if ('problem' in read) throw new Refused(400, read.problem);
    return c.json(await parts.operate(project.root, read.action));
  });

  app.get('/metrics', async (c) => {
    const { type, text } = await parts.metrics();
    return c.body(text, 200, { 'content-type': type });
  });

  for (const { path, method } of [...app.routes]) {
    const allow = ALLOWED[method];
    if (allow !== undefined)
      app.all(path, (c) => refuse(c, new Refused(405, `${c.req.method} is not for this address`, { allow })));
  }
  app.notFound((c) => refuse(c, new Refused(404, 'there is nothing at this address')));
  app.onError((error, c) => refuse(c, refusedBy(error)));
  return app;

  async function placeOf(c: Context<Env>) {
    const project = await projectNamed(overview, c.req.param('project') ?? '');
    return { project, run: await runNamed(project, c.req.param('run') ?? '') };
  }
}

const ALLOWED: Readonly<Record<string, string>> = { GET: 'GET, HEAD', POST: 'POST' };

const GET_CONTROL = ['open the address that `ralph dashboard` prints'];

function rightsOf(judgement: Judgement): Rights {
  if (judgement.rights !== null) return judgement.rights;
  if (judgement.wait > 0) throw new Refused(429, 'too many wrong tokens', { retryAfter: judgement.wait });
  throw new Refused(401, 'this needs the token of the dashboard', { fix: GET_CONTROL });
}

/** Proves to another `ralph dashboard` of the same user, which may just have created a new token, that this is one. */
async function prove(c: Context<Env>, ring: KeyRing, port: number, challenge: string): Promise<Response> {
  if (!/^[\w-]{43}$/.test(challenge)) throw new Refused(400, 'a challenge has 43 characters');
  await ring.refresh();
  return c.json({ proof: proofOf(ring.keys().control, port, challenge) });
}

/** Lets a browser in: the cookie for reading, and after the `#`, which no server ever sees, the token for control. */
function enter(c: Context<Env>, door: Door, token: string): Response {
  rightsOf(door.judgeToken(token));
  c.header('set-cookie', door.cookie());
  if (c.req.header('sec-fetch-site') === 'cross-site') return c.html(entryLink(token));
  return c.redirect(`/#control=${token}`);
}

function sendFile(c: Context<Env>, file: PageFile): Response {
  const headers = { 'content-type': file.type, etag: file.etag, 'cache-control': 'no-cache' };
  if (c.req.header('if-none-match') === file.etag) return c.body(null, 304, headers);
  return c.body(file.bytes, 200, headers);
}

function openStream(c: Context<Env>, seats: Seats): HttpBindings['outgoing'] & { destroyed: boolean } {
  if (c.req.method === 'HEAD') throw new Refused(405, 'only GET streams events', { allow: 'GET' });
  const { outgoing } = c.env;
  seats.take(outgoing);
  startSse(outgoing, RETRY);
  return outgoing;
}

/** How soon a browser reconnects, milliseconds. */
const RETRY = 'retry: 1000\n\n';

async function bodyOf(c: Context<Env>): Promise<string> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refused(415, 'the body must be application/json');
  const text = await readBody(c.env.incoming, MAX_BODY_BYTES);
  if (text === null) throw new Refused(413, 'the body is too large');
  return text;
}

function refuse(c: Context<Env>, refused: Refused): Response {
  if (c.env.outgoing.headersSent) {
    // A stream that failed after it began: its reader reconnects.
    c.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  if (refused.retryAfter !== null) c.header('retry-after', String(refused.retryAfter));
  if (refused.status === 401) c.header('www-authenticate', 'Bearer');
  if (refused.status === 405) c.header('allow', refused.allow ?? 'GET, HEAD, POST');
  // The rest of an unread body must not be taken for the next request.
  if (c.req.method === 'POST') c.header('connection', 'close');
  if (refused.status === 401 && c.req.header('accept')?.includes('text/html')) return c.html(ENTRY_NEEDED, 401);
  return c.json(refused.refusal, refused.status);
}

const RUN_NAME = /^\d{8}-\d{6}-[a-z0-9]{1,32}$/;

async function projectNamed(overview: OverviewFeed, id: string): Promise<ProjectInfo> {
  const project = (await overview.look()).projects.find((one) => one.id === id);
  if (project === undefined) throw new Refused(404, 'there is no such project', { fix: ['start a run in it first'] });
  return project;
}

/**
 * The run that an address names, for use in paths: it has the form of a run's name, and the project lists it.
 * @throws Refused when there is none
 */
async function runNamed(project: ProjectInfo, run: string): Promise<string> {
  const found = RUN_NAME.test(run) && (await listRuns(project.root)).includes(run);
  if (!found) throw new Refused(404, 'there is no such run in this project', { fix: ['`ralph log` lists runs'] });
  return run;
}

const HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">';

/** For people who come without token and cookie. It contains no outside text. */
const ENTRY_NEEDED = `${HEAD}<title>ralph dashboard</title>
<h1>This dashboard needs its address</h1>
<p>Open the address that <code>ralph dashboard</code> prints in your terminal. It contains the token that gives you access.</p>
<p>After <code>ralph dashboard --new-token</code>, or in another browser, open it again.</p>
`;

/**
 * For people who come from a page of another site (a terminal in the browser, a chat): browsers do not send a strict
 * cookie after a link from such a page, so they take the last step themselves.
 * @param token the right one; it has only characters that need no escaping
 */
function entryLink(token: string): string {
  return `${HEAD}<title>ralph dashboard</title><h1>ralph dashboard</h1><p><a href="/#control=${token}">Open the dashboard</a></p>
`;
}

/** A file of the page, ready to send. */
interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/app.js': { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/app.css': { name: 'app.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** Where the build puts them: a folder beside the bundle. */
export const PAGE_FOLDER = fileURLToPath(new URL('./dashboard/', import.meta.url));

/**
 * The files of the page by their addresses, read once: a build that replaces them under a running server must not mix
 * with files that browsers already have.
 * @throws Error when one is missing
 */
export async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = await Promise.all(
    Object.entries(FILES).map(async ([address, { name, type }]) => {
      const bytes = await readBytes(`${folder}/${name}`);
      if (bytes === null) throw new Error(`dashboard/${name} is missing from this installation of ralph`);
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      return [address, { type, etag, bytes: new Uint8Array(bytes) }] as const;
    }),
  );
  return new Map(files);
}
