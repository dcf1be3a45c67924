import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../../../../test/support/debian.ts';
import { isAlive, readOrEmpty, until } from '../../../platform/built.fixture.ts';
import { openBwrap } from './open.ts';
import { type Ground, openGround } from './sandbox.fixture.ts';

const missing = await needs('bwrap');
const isRoot = process.getuid?.() === 0;

describe.skipIf(missing)('inside bwrap', () => {
  let ground: Ground;
  const server = createServer((_request, response) => response.end('from the host'));
  let port = 0;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    port = (server.address() as AddressInfo).port;
    ground = await openGround({ localPorts: [port] }, async ({ project, person, base }) => {
      await mkdir(join(project, '.ralph', 'PRD-1'), { recursive: true });
      await mkdir(join(project, '.claude'));
      await mkdir(join(person, '.ssh'));
      await mkdir(join(person, 'bin'));
      await writeFile(join(person, '.ssh', 'id'), 'a secret');
      await writeFile(join(person, 'bin', 'tool'), '#!/bin/sh\necho a tool\n', { mode: 0o755 });
      await writeFile(join(project, '.claude', 'settings.json'), '{}');
      await writeFile(join(project, '.ralph', 'PRD-1', 'prd.json'), 'backlog');
      await writeFile(join(base, 'outside'), 'outside');
      await symlink(join(person, '.ssh'), join(project, 'link'));
      await symlink(join(base, 'outside'), join(project, 'file-link'));
      return {
        readOnly: ['.ralph', '.claude/settings.json', 'link', 'file-link', 'none'].map((name) => join(project, name)),
        writable: [join(project, '.ralph', 'PRD-1')],
      };
    });
  });
  afterAll(async () => {
    await ground?.dispose();
    server.close();
  });

  test('the work tree is written, and nothing else of the host', async () => {
    const script =
      'echo new >file; echo bad >../outside; touch /usr/x /etc/x /x; mkdir -p /var/x; echo mine >~/mine; cat ~/mine';
    const { output } = await ground.sh(script);
    expect(output).toContain('mine');
    expect(await readFile(join(ground.project, 'file'), 'utf8')).toBe('new\n');
    expect(await readFile(join(ground.base, 'outside'), 'utf8')).toBe('outside');
    expect(await readFile(join(ground.base, 'home', 'mine'), 'utf8')).toBe('mine\n');
    expect(
      ['/usr/x', '/etc/x', '/x', '/var/x', join(ground.person, 'mine')].filter((path) => existsSync(path)),
    ).toEqual([]);
  });

  test('the home folder is another one, and links into the real one lead nowhere', async () => {
    const { output } = await ground.sh('cat ~/.ssh/id link/id file-link; ls -A / | tr "\\n" " "');
    expect(output).not.toContain('a secret');
    expect(output).not.toContain('outside\n');
    expect(output).not.toMatch(/\b(srv|mnt|media|boot)\b/);
  });

  test('what belongs to the loop is read-only, and cannot be moved out of the way', async () => {
    const script = `
      echo bad >.claude/settings.json; rm -rf .claude .ralph; mv .claude away; mv .ralph gone
      echo bad >.ralph/state; echo new >.ralph/PRD-1/prd.json; mv .ralph/PRD-1 .ralph/PRD-2`;
    await ground.sh(script);
    const { project } = ground;
    expect(await readFile(join(project, '.claude', 'settings.json'), 'utf8')).toBe('{}');
    expect(await readFile(join(project, '.ralph', 'PRD-1', 'prd.json'), 'utf8')).toBe('new\n');
    expect(['away', 'gone', '.ralph/state', '.ralph/PRD-2'].filter((name) => existsSync(join(project, name)))).toEqual(
      [],
    );
  });

  test.skipIf(!isRoot)('not even root reads what is private to the system, or changes the kernel', async () => {
    const { output } = await ground.sh(`
      cat /etc/shadow && echo READ; echo x >/proc/sys/kernel/domainname && echo WRITTEN
      find /proc/sys -type f -writable | while read -r f; do cat "$f" >/tmp/v 2>/dev/null && cat /tmp/v >"$f" && echo "WRITTEN $f"; done 2>/dev/null
      mount -t tmpfs x /mnt && echo MOUNTED; mknod /tmp/d b 8 0 && echo MADE; chroot / true && echo CHANGED`);
    expect(output).not.toMatch(/READ|WRITTEN|MOUNTED|MADE|CHANGED/);
  });

  test('the host is reached at the ports that are shared, and nothing else is', async () => {
    const script = `node -e '
      const get = (port) => fetch("http://127.0.0.1:" + port).then((r) => r.text(), (e) => e.cause.code);
      (async () => console.log(await get(${port}), await get(${port === 65_535 ? 65_534 : port + 1})))()'`;
    expect((await ground.sh(script)).output).toBe('from the host ECONNREFUSED\n');
    await ground.sh(
      `node -e 'require("http").get({port: 3128, path: "http://elsewhere.example/", headers: {host: "x"}}, () => process.exit())'`,
    );
    expect(ground.refusals.map(({ host }) => host)).toEqual(['elsewhere.example']);
  });

  test('the environment is what was given, as it holds inside', async () => {
    const { output } = await ground.sh('env', {
      env: { GIVEN: 'a value', SSH_AUTH_SOCK: '/run/agent', HTTPS_PROXY: 'http://proxy' },
    });
    expect(output).toContain('GIVEN=a value');
    expect(output).toContain(`HOME=${ground.person}\n`);
    expect(output).toContain('HTTPS_PROXY=http://127.0.0.1:3128');
    expect(output).not.toContain('SSH_AUTH_SOCK');
  });

  test('no value of it can be read from the command lines of the host', async () => {
    const { args } = await ground.isolation.wrap({
      file: 'true',
      args: [],
      cwd: ground.project,
      env: { TOKEN: 'a-secret-value' },
      mounts: [],
    });
    expect(args.join(' ')).not.toContain('a-secret-value');
  });

  test('nothing that an agent may have planted runs outside on the way in', async () => {
    const planted = join(ground.project, 'planted');
    await mkdir(planted);
    const outside = join(ground.base, 'ran-outside');
    for (const name of ['mkdir', 'rmdir', 'sh', 'bwrap', 'env', 'node', 'systemd-run']) {
      await writeFile(join(planted, name), `#!/bin/sh\necho ${name} >>'${outside}'\n`, { mode: 0o755 });
    }
    const { output } = await ground.sh('echo "$LD_LIBRARY_PATH"', {
      env: { PATH: `${planted}:${process.env['PATH']}`, LD_LIBRARY_PATH: planted },
    });
    expect(existsSync(outside)).toBe(false);
    const { args, env } = await ground.isolation.wrap({
      file: 'true',
      args: [],
      cwd: ground.project,
      env: { LD_PRELOAD: join(planted, 'x.so') },
      mounts: [],
    });
    expect(env['LD_PRELOAD']).toBe(undefined);
    expect(args.join(' ')).toContain(`--setenv LD_PRELOAD ${planted}/x.so`);
    expect(output).not.toContain('error');
  });

  test('there are only its own processes', async () => {
    const { output } = await ground.sh('ls /proc | grep -c "^[0-9]"');
    expect(Number(output.split('\n')[0])).toBeLessThan(10);
  });

  test('a mount of the command covers what is below', async () => {
    const over = join(ground.base, 'over');
    await mkdir(over, { recursive: true });
    await writeFile(join(over, 'HEAD'), 'a copy');
    await mkdir(join(ground.project, '.git'), { recursive: true });
    const at = join(ground.project, '.git');
    const { output } = await ground.sh('cat .git/HEAD; rm -rf .git; mv .git away; echo new >.git/HEAD', {
      mounts: [{ from: over, at, writable: true }],
    });
    expect(output).toContain('a copy');
    expect(await readFile(join(over, 'HEAD'), 'utf8')).toBe('new\n');
    expect(existsSync(join(at, 'HEAD'))).toBe(false);
  });

  test.each([0, 3, 130])('an exit with %i comes through', async (code) => {
    expect((await ground.sh(`exit ${code}`)).exitCode).toBe(code);
  });

  test('a death by signal is 128 and its number', async () => {
    expect((await ground.sh('kill -KILL $$')).exitCode).toBe(137);
  });

  test('a program that is told to end says its last words, once', async () => {
    const script = `trap 'echo told; sleep 0.3; echo saved; exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
    const { process: agent, lines } = await ground.start(script);
    await until('it runs', () => lines.includes('ready'));
    await agent.stop(5_000);
    expect(await agent.exited).toEqual({ exitCode: 0, signal: null });
    expect(lines).toEqual(['ready', 'told', 'saved']);
  });

  test('it ends also where the bridge was stopped by what it runs', async () => {
    expect((await ground.sh('kill -STOP $PPID; exit 5')).exitCode).toBe(5);
  });

  test('what it left in the background ends with it, and with bwrap when that is killed', async () => {
    const marks = () => readOrEmpty(join(ground.project, 'beats')).length;
    const beat = '(while :; do printf . >>beats; sleep 0.05; done) >/dev/null 2>&1 &';
    await ground.sh(`${beat} sleep 0.2`);
    const before = marks();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(marks()).toBe(before);

    const { process: agent, lines } = await ground.start(`${beat} echo ready; wait`);
    await until('it runs', () => lines.includes('ready'));
    process.kill(agent.pid, 'SIGKILL');
    await agent.exited;
    await until('it is gone', () => !isAlive(agent.pid));
    const then = marks();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(marks()).toBe(then);
    await agent.stop(0);
  });
});

describe.skipIf(missing)('its limits', () => {
  const limited =
    isRoot &&
    /\b(memory|pids)\b/.test(readFileSync('/proc/self/cgroup', 'utf8') + readFileSync('/proc/cgroups', 'utf8'));
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround({ memoryBytes: 256 * 1024 ** 2, processes: 100 });
  });
  afterAll(() => ground?.dispose());

  test('10,000 processes are held to the number that is allowed', async () => {
    const bomb = `
      const { spawn } = require('node:child_process');
      let made = 0, refused = 0;
      const next = () => {
        for (let i = 0; i < 100; i += 1) {
          try { spawn('sleep', ['600'], { stdio: 'ignore' }).on('error', () => { refused += 1 }).on('spawn', () => { made += 1 }) } catch { refused += 1 }
        }
        if (made + refused < 10000) return setImmediate(next);
        console.log(made + ' ' + (made + refused)); process.exit();
      };
      next();`;
    await writeFile(join(ground.project, 'bomb.cjs'), bomb);
    const [made, all] = (await ground.sh('node bomb.cjs')).output.split(' ').map(Number);
    expect(made).toBeLessThan(100);
    expect(all).toBeGreaterThanOrEqual(10_000);
  });

  test.skipIf(!limited)('2 GB cannot be had where 256 MB are allowed', async () => {
    const hog = `node -e 'const all = []; for (let i = 0; i < 64; i += 1) all.push(Buffer.alloc(32 * 1024 * 1024, 1)); console.log("had")'; echo "$?"`;
    const { output } = await ground.sh(hog);
    expect(output).not.toContain('had');
    expect(output).toContain('137');
  });
});

describe.skipIf(missing)('the probe', () => {
  test('proves every claim in reality', async () => {
    const ground = await openGround();
    try {
      const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' };
      const { available, detail, claims } = await openBwrap({
        workspace: { root: ground.project, readOnly: [], writable: [] },
        policy: { hosts: [], localPorts: [], read: [], write: [], memoryBytes: 1024 ** 3, processes: 400, cpus: null },
        env,
        openHome: async () => ({ path: join(ground.base, 'home'), close: async () => {} }),
        container: { engine: null, image: null },
      }).probe();
      expect(claims.filter(({ held }) => !held)).toEqual([]);
      expect(claims).toHaveLength(6);
      expect({ available, detail }).toEqual({ available: true, detail: expect.stringContaining('bubblewrap') });
    } finally {
      await ground.dispose();
    }
  });
});
