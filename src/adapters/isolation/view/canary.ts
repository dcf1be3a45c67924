import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { makeDir, makeTempDir, readText, remove } from '../../../platform/files/files.ts';
import { runCommand } from '../../../platform/process/run-command.ts';
import type { Claim, Isolation, IsolationInput, WrappedCommand } from '../port.ts';
import { CANARY, type Seen, type Tried } from './canary-script.ts';

/** For everything that is tried together. */
const PATIENCE_MS = 60_000;

/** What the canary finds on the host, made for it and removed after it. */
interface Ground {
  readonly base: string;
  /** Listens at a port that the policy names, and at one that it does not. */
  readonly listed: Listener;
  readonly unlisted: Listener;
  /** Word that nothing inside may come to know. */
  readonly secret: string;
}

interface Listener {
  readonly port: number;
  readonly server: Server;
  contacts(): number;
}

/**
 * Tries in a sandbox of a throw-away project what every isolation promises. Where one can look from the host, what the
 * inside says of itself is not asked. Never rejects: an isolation that could not even be tried held nothing.
 *
 * @param input the person's environment and the settings; the rest of it is made here
 * @param node the Node that the inside has; default: our own
 */
export async function tryClaims(
  open: (input: IsolationInput) => Isolation | Promise<Isolation>,
  { env, container, policy }: IsolationInput,
  node: string = process.execPath,
): Promise<readonly Claim[]> {
  try {
    const ground = await makeGround();
    try {
      const host = `127.0.0.1:${ground.listed.port}`;
      const isolation = await open({
        workspace: { root: join(ground.base, 'project'), readOnly: [], writable: [] },
        policy: { ...policy, hosts: [host], localPorts: [], read: [], write: [] },
        env: { ...env, HOME: join(ground.base, 'person') },
        openHome: async () => ({ path: join(ground.base, 'home'), close: async () => {} }),
        container,
      });
      return await judge(ground, await tryAll(isolation, ground, env, node));
    } finally {
      await clear(ground);
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
  return { base, secret, listed: await listen(), unlisted: await listen() };
}

async function listen(): Promise<Listener> {
  let contacts = 0;
  const server = createServer((_request, response) => response.end('reached'));
  server.on('connection', () => {
    contacts += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server, contacts: () => contacts };
}

async function clear({ base, listed, unlisted }: Ground): Promise<void> {
  for (const { server } of [listed, unlisted]) {
    server.closeAllConnections();
    server.close();
  }
  await remove(base).catch(() => {});
}

async function tryAll(
  isolation: Isolation,
  { base, secret, listed, unlisted }: Ground,
  env: IsolationInput['env'],
  node: string,
): Promise<Seen> {
  const tried: Tried = {
    inside: join(base, 'project', 'written'),
    outside: join(base, 'outside'),
    secrets: [join(base, 'person', '.ssh', 'id_canary')],
    folders: env['HOME'] ? [join(env['HOME'], '.ssh')] : [],
    listed: listed.port,
    unlisted: unlisted.port,
    word: secret,
  };
  const over = new AbortController();
  // Somebody whose command line would give the word away, were it seen. Told to end, it counts as ended well.
  const victim = runCommand(process.execPath, ['-e', 'setTimeout(() => {}, 90_000)', secret], {
    cwd: '/',
    env: {},
    signal: over.signal,
  });
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
    over.abort();
    await victim;
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
  const { base, listed, unlisted } = ground;
  const [written, outside] = await Promise.all([
    readText(join(base, 'project', 'written')),
    readText(join(base, 'outside')),
  ]);
  const outsideDetail = seen.outside === 'written' && outside === null ? 'not written on the host' : seen.outside;
  return [
    claim('the work tree can be written', written !== null, seen.inside),
    claim('a file outside the work tree cannot be written', outside === null, outsideDetail),
    claim("a secret in the person's home folder cannot be read", !seen.secret, seen.secretDetail),
    claim('a host on the list can be reached', seen.listed && listed.contacts() > 0, seen.listedDetail),
    claim('a host off the list cannot be reached', unlisted.contacts() === 0, seen.unlistedDetail),
    claim("the host's processes cannot be seen", !seen.processes, seen.processesDetail),
  ];
}

function claim(text: string, held: boolean, detail: string): Claim {
  return { claim: text, held, detail };
}
