import { join } from 'node:path';
import { makeDir, makeTempDir, readText, remove, runCommand, writeAtomic } from '../../../platform/index.ts';
import { type Listeners, openListeners, startVictim } from '../battery/listeners.ts';
import type { Claim, Isolation, IsolationInput, WrappedCommand } from '../port.ts';

/** Time limit for all tests together. */
const PATIENCE_MS = 60_000;

/** What the canary finds on the host, made for it and removed afterwards. */
interface Ground {
  readonly base: string;
  /** The policy names only this one's port as an allowed host. */
  readonly listeners: Listeners;
  /** A word that no process inside may learn. */
  readonly secret: string;
}

/**
 * Tests in a sandbox of a throw-away project what every isolation promises. Where the host can observe a result, the
 * report from inside is not used. Never rejects: an isolation that could not be tested held nothing.
 *
 * @param input the user's environment and the settings; the rest is made here
 * @param node the Node inside; default: our own
 */
export async function tryClaims(
  open: (input: IsolationInput) => Isolation | Promise<Isolation>,
  { env, container, policy }: IsolationInput,
  node: string = process.execPath,
): Promise<readonly Claim[]> {
  try {
    const ground = await makeGround();
    try {
      const host = `127.0.0.1:${ground.listeners.allowed}`;
      const isolation = await open({
        workspace: { root: join(ground.base, 'project'), readOnly: [], writable: [] },
        policy: { ...policy, hosts: [host], localPorts: [], read: [], write: [] },
        env: { ...env, HOME: join(ground.base, 'person') },
        openHome: async () => ({ path: join(ground.base, 'home'), close: async () => {} }),
        container,
      });
      return await judge(ground, await tryAll(isolation, ground, env, node));
    } finally {
      await ground.listeners.close();
      await remove(ground.base).catch(() => {});
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ claim: 'a command can be started', held: false, detail }];
  }
}

async function makeGround(): Promise<Ground> {
  const base = await makeTempDir('ralph-canary-');
  const secret = `canary-${Math.random().toString(36).slice(2)}`;
  for (const folder of ['project', 'home', 'person']) await makeDir(join(base, folder));
  await writeAtomic(join(base, 'person', '.ssh', 'id_canary'), secret, { fsync: false });
  return { base, secret, listeners: await openListeners([], '') };
}

async function tryAll(
  isolation: Isolation,
  { base, secret, listeners }: Ground,
  env: IsolationInput['env'],
  node: string,
): Promise<Seen> {
  const tried: Tried = {
    inside: join(base, 'project', 'written'),
    outside: join(base, 'outside'),
    secrets: [join(base, 'person', '.ssh', 'id_canary')],
    folders: env['HOME'] ? [join(env['HOME'], '.ssh')] : [],
    listed: listeners.allowed,
    unlisted: listeners.local,
    word: secret,
  };
  const victim = await startVictim('ralph-canary', secret, base);
  let wrapped: WrappedCommand | null = null;
  try {
    await isolation.prepare({ run: secret, localPorts: [], onRefusal: () => {} });
    wrapped = await isolation.wrap({
      file: node,
      args: ['-e', CANARY, JSON.stringify(tried)],
      cwd: join(base, 'project'),
      env: { PATH: env['PATH'] ?? '/usr/bin:/bin', HOME: join(base, 'person') },
      mounts: [],
    });
    const { file, args, cwd } = wrapped;
    const result = await runCommand(file, args, { cwd, env: wrapped.env, timeoutMs: PATIENCE_MS, marker: secret });
    return seenIn(result.stdout.toString('utf8'), result.stderr.toString('utf8'));
  } finally {
    victim.end();
    await wrapped?.end();
    await isolation.dispose();
  }
}

function seenIn(output: string, complaint: string): Seen {
  const line = output.split('\n').find((text) => text.startsWith('{"canary":'));
  if (line === undefined) throw new Error(complaint.trim().split('\n').at(-1) || 'the sandbox did not answer');
  return (JSON.parse(line) as { readonly canary: Seen }).canary;
}

async function judge(ground: Ground, seen: Seen): Promise<readonly Claim[]> {
  const { base, listeners } = ground;
  const [written, outside] = await Promise.all([
    readText(join(base, 'project', 'written')),
    readText(join(base, 'outside')),
  ]);
  const outsideDetail = seen.outside === 'written' && outside === null ? 'not written on the host' : seen.outside;
  return [
    claim('the work tree can be written', written !== null, seen.inside),
    claim('a file outside the work tree cannot be written', outside === null, outsideDetail),
    claim("a secret in the person's home folder cannot be read", !seen.secret, seen.secretDetail),
    claim('a host on the list can be reached', seen.listed && listeners.atAllowed.length > 0, seen.listedDetail),
    claim('a host off the list cannot be reached', listeners.heard.length === 0, seen.unlistedDetail),
    claim("the host's processes cannot be seen", !seen.processes, seen.processesDetail),
  ];
}

function claim(text: string, held: boolean, detail: string): Claim {
  return { claim: text, held, detail };
}

/** What the canary has to try. Absolute paths; ports of the host's loopback. */
interface Tried {
  readonly inside: string;
  readonly outside: string;
  /** Files that contain `word`. */
  readonly secrets: readonly string[];
  /** Folders that must be missing or empty. */
  readonly folders: readonly string[];
  readonly listed: number;
  readonly unlisted: number;
  /** Also on the command line of a host process. */
  readonly word: string;
}

/** What it observed. The details are for people. */
interface Seen {
  readonly inside: string;
  readonly outside: string;
  readonly secret: boolean;
  readonly secretDetail: string;
  readonly listed: boolean;
  readonly listedDetail: string;
  readonly unlistedDetail: string;
  readonly processes: boolean;
  readonly processesDetail: string;
}

/**
 * Runs inside, as `node -e CANARY <Tried as JSON>`, and prints `{"canary": Seen}`. A text, as it has to run in any Node
 * inside, without any file of ours there.
 */
const CANARY = `
const fs = require('node:fs'), http = require('node:http'), net = require('node:net');
const { execFileSync } = require('node:child_process');
const tried = JSON.parse(process.argv[1]);
const attempt = (what) => { try { return what() } catch (error) { return error.code || String(error) } };
const write = (path) => attempt(() => { fs.writeFileSync(path, 'canary'); return 'written' });

function secrets() {
  const found = [];
  for (const path of tried.secrets) {
    const text = attempt(() => fs.readFileSync(path, 'utf8'));
    if (text.includes(tried.word)) found.push(path);
  }
  for (const path of tried.folders) {
    const names = attempt(() => fs.readdirSync(path));
    if (Array.isArray(names) && names.length > 0) found.push(path);
  }
  return found;
}

function commandLines() {
  if (!fs.existsSync('/proc/self')) {
    const lines = attempt(() => execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }));
    return lines.split('\\n');
  }
  const pids = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid));
  return pids.map((pid) => attempt(() => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8')));
}

// The canary's own command line, and that of whoever started it, have the word after the other names.
const foreign = (lines) => lines.some((line) => line.includes(tried.word) && !line.includes('"word"'));

function byProxy(port) {
  const proxy = attempt(() => new URL(process.env.HTTP_PROXY || process.env.http_proxy));
  if (!(proxy instanceof URL)) return Promise.resolve('no proxy');
  const login = proxy.username && 'Basic ' + Buffer.from(decodeURIComponent(proxy.username) + ':' + decodeURIComponent(proxy.password)).toString('base64');
  return new Promise((resolve) => {
    const request = http.get({
      host: proxy.hostname, port: proxy.port, path: 'http://127.0.0.1:' + port + '/', timeout: 10000,
      headers: { host: '127.0.0.1:' + port, ...(login && { 'proxy-authorization': login }) },
    }, (response) => {
      let text = '';
      response.on('data', (chunk) => { text += chunk });
      response.on('end', () => resolve(text === 'ok' ? 'reached' : 'status ' + response.statusCode));
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', (error) => resolve(error.code || error.message));
  });
}

function direct(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, timeout: 3000 }, () => { socket.destroy(); resolve('reached') });
    socket.on('timeout', () => { socket.destroy(); resolve('no answer') });
    socket.on('error', (error) => resolve(error.code || error.message));
  });
}

(async () => {
  const found = secrets(), lines = commandLines(), seen = foreign(lines);
  const listed = await byProxy(tried.listed), off = await byProxy(tried.unlisted), past = await direct(tried.unlisted);
  console.log(JSON.stringify({ canary: {
    inside: write(tried.inside), outside: write(tried.outside),
    secret: found.length > 0, secretDetail: found.length > 0 ? 'read: ' + found.join(', ') : 'not there',
    listed: listed === 'reached', listedDetail: listed,
    unlistedDetail: 'by the proxy: ' + off + '; directly: ' + past,
    processes: seen, processesDetail: lines.length + ' processes seen',
  } }));
})();
`;
