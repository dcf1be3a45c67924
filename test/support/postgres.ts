import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram } from './debian.ts';

const run = promisify(execFile);

/** Of its only user, as every URL has it. */
const PASSWORD = 'thr0w-away';
/** Ends the wait for a server that will never be there. */
const START_LIMIT_MS = 300_000;

/** A throw-away PostgreSQL, on 127.0.0.1 and on a socket in its own temporary folder. */
export interface Postgres {
  /** Of an empty database, as its owner. */
  readonly url: string;
  /** Of the server's first process; another one after a restart. */
  readonly pid: () => number;
  /** Another empty database on the same server; its URL. */
  database(name: string): Promise<string>;
  /** Runs one statement in the first database. */
  sql(statement: string): Promise<void>;
  /** As an operator would: connections are cut, everything that was committed stays. It is down for `meanwhile`. */
  restart(meanwhile: () => Promise<unknown>): Promise<void>;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/** Needs `needs('postgres')`. Whoever starts it stops it. @param listen another address of this machine, besides 127.0.0.1, for everybody who reaches it */
export async function startPostgres({ listen }: { readonly listen?: string } = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  await mkdir(data);
  await chmod(folder, 0o711);
  await giveToServer(folder, data);
  await asServer(program('initdb'), [
    '-D',
    data,
    '-U',
    'ralph',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '--no-sync',
    '-E',
    'UTF8',
    '--no-locale',
  ]);
  if (listen !== undefined) await appendFile(join(data, 'pg_hba.conf'), 'host all all samenet scram-sha-256\n');
  const addresses = ['127.0.0.1', ...(listen === undefined ? [] : [listen])].join(',');
  let server = await startServer(data, folder, port, addresses);
  const sql = async (statement: string) => {
    await asServer(program('psql'), ['-h', folder, '-p', `${port}`, '-U', 'ralph', '-d', 'postgres', '-qc', statement]);
  };
  await sql(`ALTER ROLE ralph PASSWORD '${PASSWORD}'`);
  const database = async (name: string) => {
    await sql(`CREATE DATABASE "${name}"`);
    return `postgres://ralph:${PASSWORD}@127.0.0.1:${port}/${name}`;
  };
  return {
    url: await database('fleet'),
    pid: () => server.pid ?? 0,
    database,
    sql,
    async restart(meanwhile) {
      await endServer(server);
      await meanwhile();
      server = await startServer(data, folder, port, addresses);
    },
    async stop() {
      await endServer(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startServer(data: string, folder: string, port: number, addresses: string): Promise<ChildProcess> {
  const settings = {
    listen_addresses: addresses,
    port,
    unix_socket_directories: folder,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '16MB',
    max_connections: 100,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [file, args] = serverCommand(program('postgres'), ['-D', data, ...options]);
  const server = spawn(file, [...args], { cwd: '/', stdio: 'ignore' });
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await isReady(folder, port))) {
    if (server.exitCode !== null || server.signalCode !== null || Date.now() > deadline)
      throw new Error('PostgreSQL does not start');
    await wait(50);
  }
  return server;
}

async function isReady(folder: string, port: number): Promise<boolean> {
  return run(program('pg_isready'), ['-q', '-h', folder, '-p', `${port}`]).then(
    () => true,
    () => false,
  );
}

/** SIGINT is its fast way to end: no waiting for clients. */
async function endServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}

/** Its programs refuse to run as root: then they run as the system user that the package made. */
function serverCommand(file: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (process.getuid?.() !== 0) return [file, args];
  return ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--', file, ...args]];
}

async function asServer(file: string, args: readonly string[]): Promise<void> {
  const [command, all] = serverCommand(file, args);
  await run(command, [...all], { cwd: '/' });
}

async function giveToServer(...paths: readonly string[]): Promise<void> {
  if (process.getuid?.() === 0) await run('chown', ['postgres:postgres', ...paths]);
}

/** Those of one installation belong together: each stands beside its `initdb`; the client's may stand elsewhere. */
function program(name: string): string {
  const initdb = findProgram('initdb');
  if (initdb === null) throw new Error('PostgreSQL is not installed');
  return join(dirname(initdb), name);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
