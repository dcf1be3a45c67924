import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../../../../test/support/debian.ts';
import { runCommand } from '../../../platform/index.ts';
import { type Ground, openGround } from './sandbox.fixture.ts';

const missing = await needs('bwrap');
const KNOCK = `const s = require('net').connect('service'); s.on('connect', () => { console.log('CONNECTED'); s.end() }); s.on('error', (e) => console.log(e.code))`;

describe.skipIf(missing)('sockets in the work tree', () => {
  let ground: Ground | undefined;
  let server: Server | undefined;
  afterEach(async () => {
    server?.close();
    await ground?.dispose();
  });

  const listen = async (path: string) => {
    server = createServer((socket) => socket.end());
    server.listen(path);
    await once(server, 'listening');
  };

  test('a service of the host that listens there is not reached, and goes on listening', async () => {
    ground = await openGround({}, async ({ project }) => {
      await listen(join(project, 'service'));
      return {};
    });
    expect((await ground.sh(`node -e "${KNOCK}"`)).output).toMatch(/^(ECONNREFUSED|EACCES|ENOTSOCK)\n$/);
    const outside = await runCommand('node', ['-e', KNOCK], { cwd: ground.project });
    expect(outside.stdout.toString()).toBe('CONNECTED\n');
  });

  test('nor one that began to listen between two commands; what a dead one left may be used again', async () => {
    ground = await openGround();
    const make = `node -e "const s = require('net').createServer().listen('stale', () => process.kill(process.pid, 'SIGKILL'))"`;
    await ground.sh(make);
    await listen(join(ground.project, 'service'));
    expect((await ground.sh(`node -e "${KNOCK}"`)).output).toMatch(/^(ECONNREFUSED|EACCES|ENOTSOCK)\n$/);
    expect((await ground.sh('test -S stale && rm stale && echo free')).output).toBe('free\n');
  });
});
