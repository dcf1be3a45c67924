// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { type Fleet, makeFleet } from '../support/fleet.ts';
import { lacksNamespaces, makeNetworkNamespace, type NetworkNamespace } from '../support/network-namespace.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const STREAMS = 2;
const TURNS = 3;
const PACE = ['--poll', '200ms', '--grace', '4s', '--turn-timeout', '60s'];

const missing = (await needs('postgres')) ?? (await lacksNamespaces());

describe.skipIf(missing)('a worker of a fleet whose network is cut', () => {
  let network: NetworkNamespace;
  let postgres: Postgres;
  let fleet: Fleet;
  let daemon: ChildProcess;
  let remote: string;
  beforeAll(async () => {
    network = await makeNetworkNamespace();
    postgres = await startPostgres({ listen: network.host });
    fleet = await makeFleet(postgres.url, { streams: STREAMS, stories: TURNS, workMs: 2500 });
    const port = await freePort(network.host);
    daemon = serveGit(fleet.base, network.host, port);
    remote = `git://${network.host}:${port}/remote.git`;
    await until(() => answers(network.host, port));
    await fleet.submit();
  });
  afterAll(async () => {
    await fleet?.remove();
    await end(daemon);
    await postgres?.stop();
    await network?.remove();
  });

  test('loses its turn to another, adds nothing of it to the branch, and stays alive', async () => {
    const url = new URL(postgres.url);
    url.hostname = network.host;
    const cutOff = fleet.startWorkerIn({ enter: network.enter, remote }, 'far', { RALPH_ENGINE: url.href }, ...PACE);
    await until(async () => (await fleet.stamps()).length > 0);
    const [lost] = await fleet.stamps();
    await network.cut();
    fleet.startWorker('near', {}, ...PACE);
    const lostStream = Number(lost?.stream.split('-').at(-1));
    await until(async () => (await fleet.iterations(lostStream)).length > 0).finally(network.fix);

    const done = async () =>
      (await fleet.standing()).streams.filter(({ state }) => state === 'done').length === STREAMS;
    await until(done).catch((error) => {
      throw new Error(`${error.message}\n${cutOff.output().slice(-3000)}`);
    });
    for (let stream = 1; stream <= STREAMS; stream++)
      expect(await fleet.iterations(stream)).toEqual(Array.from({ length: TURNS }, (_, i) => i + 1));
    const begun = (await fleet.stamps()).filter(({ kind }) => kind === 'begin');
    expect(begun.length - STREAMS * TURNS).toBeLessThanOrEqual(1);
    expect(cutOff.output()).toMatch(/moved meanwhile|is on the remote|goes back to the queue|attempt 1 of 3, failed/);
    expect(cutOff.child.exitCode).toBeNull();
  });
});

/** Lets everybody who reaches `host` fetch from and push to the repositories in `folder`. */
function serveGit(folder: string, host: string, port: number): ChildProcess {
  const where = [`--base-path=${folder}`, `--listen=${host}`, `--port=${port}`];
  return spawn('git', ['daemon', '--reuseaddr', '--export-all', '--enable=receive-pack', ...where], {
    stdio: 'ignore',
    detached: true,
  });
}

/** With its children: what `git` started and what serves a connection. */
async function end(daemon: ChildProcess | undefined): Promise<void> {
  if (daemon?.pid === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return;
  const ended = once(daemon, 'exit');
  process.kill(-daemon.pid, 'SIGKILL');
  await ended;
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  await once(socket, 'connect').finally(() => socket.destroy());
  return true;
}

async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
