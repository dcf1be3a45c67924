import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { exitOf, firstLine, isAlive, tempDir, until } from '../../../platform/built.fixture.ts';
import { buildBridge } from './bridge.fixture.ts';
import { bridgeProgram } from './environment.ts';

let sockets = '';
const servers: Server[] = [];
beforeAll(buildBridge);
beforeEach(async () => {
  sockets = await tempDir();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(sockets, { recursive: true });
});

/** The pid that a command printed. */
async function pidFrom(bridge: { readonly stdout: Readable }): Promise<number> {
  const pid = Number(await firstLine(bridge));
  // Signals to 0 would go to this test and all around it.
  expect(pid).toBeGreaterThan(1);
  return pid;
}

/** A port that nobody listens on now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function listenAt(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
}

async function listen(name: string, onConnection: (socket: Socket) => void): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, onConnection).listen(join(sockets, name));
  servers.push(server);
  await once(server, 'listening');
}

async function allOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe.each([
  ['Node', false],
  ['Perl', true],
] as const)('the bridge in %s:', (name, ofHost) => {
  const missing = name === 'Perl' && !existsSync('/usr/bin/perl');
  let program: readonly string[] = [];
  beforeAll(async () => {
    program = await bridgeProgram(process.execPath, ofHost);
  });

  function startWith(folder: string, ports: Record<string, number>, processes: string, ...command: string[]) {
    const [file = '', ...args] = program;
    const listed = Object.entries(ports).map(([name, port]) => `${port}=${name}`);
    const options = ['--sockets', folder, '--ports', listed.join(','), '--processes', processes];
    return spawn(file, [...args, ...options, '--', ...command]);
  }
  const start = (ports: Record<string, number>, ...command: string[]) => startWith(sockets, ports, '0', ...command);

  describe.skipIf(missing)('its ports', () => {
    test('lead to the sockets, and listen before the command starts', async () => {
      await listen('a.sock', (socket) => socket.end('from a'));
      const port = await freePort();
      const script = `require('node:net').connect(${port}, '127.0.0.1').pipe(process.stdout)`;
      const bridge = start({ a: port }, process.execPath, '-e', script);
      expect(await firstLine(bridge)).toBe('from a');
      expect(await exitOf(bridge)).toEqual({ code: 0, signal: null });
    });

    test('carry 64 MB both ways, and one side may have said all it has to say', async () => {
      await listen('echo.sock', (socket) => socket.pipe(socket));
      const port = await freePort();
      const bridge = start({ echo: port }, 'sh', '-c', 'echo ready; read -r line');
      await firstLine(bridge);
      const sent = Buffer.alloc(64 * 1024 * 1024, 'abcdefg');
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      client.end(sent);
      expect((await allOf(client)).equals(sent)).toBe(true);
      bridge.stdin.end('\n');
      await exitOf(bridge);
    });

    test('carry hundreds of connections at a time', async () => {
      await listen('echo.sock', (socket) => socket.pipe(socket));
      const port = await freePort();
      const bridge = start({ echo: port }, 'sh', '-c', 'echo ready; read -r line');
      await firstLine(bridge);
      const clients = Array.from({ length: 600 }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
      const answers = await Promise.all(clients.map((client, i) => allOf(client.end(`number ${i}`))));
      expect(answers.map(String)).toEqual(clients.map((_, i) => `number ${i}`));
      bridge.stdin.end('\n');
      await exitOf(bridge);
    });

    test('refuse where nobody is behind the socket, and go on', async () => {
      await listen('there.sock', (socket) => socket.end('there'));
      const [gone, there] = [await freePort(), await freePort()];
      const bridge = start({ gone, there }, 'sh', '-c', 'echo ready; read -r line');
      await firstLine(bridge);
      await expect(allOf(connect(gone, '127.0.0.1'))).rejects.toThrow('ECONNRESET');
      expect(String(await allOf(connect(there, '127.0.0.1')))).toBe('there');
      bridge.stdin.end('\n');
      await exitOf(bridge);
    });
  });

  describe.skipIf(missing)('its command', () => {
    test.each([
      ['exit 0', 0],
      ['exit 7', 7],
      ['kill -KILL $$', 137],
      ['kill -TERM $$', 143],
    ])('`%s` ends it with %i', async (script, code) => {
      expect(await exitOf(start({}, 'sh', '-c', script))).toEqual({ code, signal: null });
    });

    test('is not waited for beyond its end, whatever connection is open', async () => {
      await listen('a.sock', () => {});
      const port = await freePort();
      const bridge = start({ a: port }, 'sh', '-c', 'echo ready; read -r line');
      await firstLine(bridge);
      const client = connect(port, '127.0.0.1').on('error', () => {});
      await once(client, 'connect');
      bridge.stdin.end('\n');
      expect(await exitOf(bridge)).toEqual({ code: 0, signal: null });
    });

    test('is held to a number of processes, and told nothing else', async () => {
      const script = 'ulimit -u 2>/dev/null || ulimit -p; echo "$@"';
      const bridge = startWith(sockets, {}, '300', 'sh', '-c', script, 'x y');
      expect(String(await allOf(bridge.stdout))).toBe('300\n\n');
    });

    test('gets what is sent to the bridge, which stays until it has ended', async () => {
      const bridge = start({}, 'sh', '-c', `trap 'echo told; exit 3' TERM; echo $$; while :; do sleep 0.05; done`);
      const child = await pidFrom(bridge);
      const ended = exitOf(bridge);
      bridge.kill('SIGTERM');
      expect(String(await allOf(bridge.stdout))).toBe('told\n');
      expect(await ended).toEqual({ code: 3, signal: null });
      expect(isAlive(child)).toBe(false);
    });

    test('hears of a signal once, where it was sent to everybody', async () => {
      const script = `n=0; trap 'n=$((n+1))' TERM; echo $$; while [ $n = 0 ]; do sleep 0.02; done; sleep 0.2; echo "$n"`;
      const bridge = start({}, 'sh', '-c', script);
      const child = await pidFrom(bridge);
      bridge.kill('SIGTERM');
      process.kill(child, 'SIGTERM');
      expect(String(await allOf(bridge.stdout))).toBe('1\n');
    });
  });

  describe.skipIf(missing)('it says why it cannot', () => {
    async function complaintOf(...given: Parameters<typeof startWith>): Promise<readonly [number | null, string]> {
      const child = startWith(...given);
      const [complaint, { code }] = await Promise.all([allOf(child.stderr), exitOf(child)]);
      return [code, String(complaint)];
    }

    test('without its sockets', async () => {
      const [code, complaint] = await complaintOf(`${sockets}/none`, {}, '0', 'true');
      expect(code).toBe(125);
      expect(complaint).toContain(`there is no folder of sockets: ${sockets}/none`);
    });

    test('when somebody has its port', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const [code, complaint] = await complaintOf(sockets, { a: port }, '0', 'true');
      expect(code).toBe(125);
      expect(complaint).toContain(`port ${port} cannot be listened on inside`);
    });

    test.each(['0', '300'])('when the program is not there, of %s processes', async (processes) => {
      const [code, complaint] = await complaintOf(sockets, {}, processes, 'no-such-program');
      expect(code).toBe(127);
      expect(complaint).toContain('no-such-program');
    });
  });

  test.skipIf(missing)('a bridge that is killed leaves its command to the sandbox, and no port taken', async () => {
    const port = await freePort();
    const bridge = start({ a: port }, 'sh', '-c', 'echo $$; exec sleep 60');
    const child = await pidFrom(bridge);
    bridge.kill('SIGKILL');
    await exitOf(bridge);
    process.kill(child, 'SIGKILL');
    await until('the command has ended', () => !isAlive(child));
    // Any other program may be given it for a moment.
    await vi.waitFor(() => listenAt(port), 300_000);
  });
});

test.skipIf(!existsSync('/usr/bin/perl'))('the bridge in Perl is strict', async () => {
  const [perl = '', file = ''] = await bridgeProgram(process.execPath, true);
  const checked = spawn(perl, ['-Mstrict', '-Mwarnings=FATAL,all', '-c', file]);
  const [said, { code }] = await Promise.all([allOf(checked.stderr), exitOf(checked)]);
  expect(`${code} ${said}`).toMatch(/^0 .* syntax OK\n$/);
});
