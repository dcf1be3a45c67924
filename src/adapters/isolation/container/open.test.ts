import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { needs } from '../../../../test/support/debian.ts';
import { readProcessTable, runCommand, supervise } from '../../../platform/index.ts';
import type { Isolation } from '../port.ts';
import { buildBridge } from '../view/bridge.fixture.ts';
import { type Daemon, startDockerd } from './dockerd.fixture.ts';
import { clientEnvironment } from './engine.ts';
import { openContainer } from './open.ts';
import { makeProject, runInside, script, type TestProject } from './project.fixture.ts';

const asRoot = process.getuid?.() === 0;
const ENGINES = [
  { engine: 'podman', missing: await needs('podman') },
  { engine: 'docker', missing: asRoot ? await needs('docker') : 'its daemon needs root' },
] as const;

describe.each(ENGINES)('$engine', ({ engine, missing }) => {
  describe.skipIf(missing)('really', () => {
    const RUN = `test-${engine}-${process.pid}`;
    let daemon: Daemon | null = null;
    let project: TestProject;
    let isolation: Isolation;
    let neighbour: Server;
    let port = 0;
    let env: Record<string, string | undefined>;

    beforeAll(async () => {
      await buildBridge();
      if (engine === 'docker') daemon = await startDockerd();
      env = { ...process.env, PATH: `/usr/bin:/usr/sbin:${process.env['PATH']}`, DOCKER_HOST: daemon?.address };
      neighbour = createServer((socket) => socket.end('hello from the host'));
      await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
      port = (neighbour.address() as { port: number }).port;
      project = await makeProject(env, { engine });
      isolation = openContainer(project.input);
      await isolation.prepare({ run: RUN, localPorts: [port], onRefusal: () => {} });
    });

    afterAll(async () => {
      await isolation?.dispose();
      await project?.dispose();
      neighbour?.close();
      await daemon?.stop();
    });

    const run = (text: string, more?: Record<string, string>, input?: Uint8Array) =>
      runInside(isolation, script(project, text, more), input);
    const ask = (...args: readonly string[]) => runCommand(engine, args, { cwd: '/', env });

    test('the probe tries every claim, and leaves nothing', async () => {
      const probe = await isolation.probe();
      expect(probe.claims.filter(({ held }) => !held)).toEqual([]);
      expect(probe).toMatchObject({ available: true, fix: [] });
      expect(probe.detail).toMatch(new RegExp(`^${engine} \\d`));
    });

    test('programs of this machine run in the work tree, and their exit code comes back', async () => {
      const { exitCode, out } = await run('pwd; git --version; node --version; exit 7');
      expect(out.split('\n')).toEqual([project.root, expect.stringContaining('git version'), process.version]);
      expect(exitCode).toBe(7);
    });

    test('only the work tree can be written, and not what is the loop’s in it', async () => {
      const outside = join(project.base, 'outside');
      const { err } = await run(
        `echo x > made; echo x > kept/no; echo x > kept/open/yes; echo x > ${outside}; echo x > /usr/no; echo x > /no; mv kept away; rm -rf /usr/bin/env`,
      );
      expect(err).toContain('kept/no');
      expect(existsSync(join(project.root, 'made'))).toBe(true);
      expect(existsSync(join(project.root, 'kept/no'))).toBe(false);
      expect(existsSync(join(project.root, 'kept/open/yes'))).toBe(true);
      expect(existsSync(join(project.root, 'away'))).toBe(false);
      expect(readFileSync(outside, 'utf8')).toBe('as it was');
      expect(existsSync('/usr/bin/env') && !existsSync('/usr/no')).toBe(true);
    });

    test('files made inside belong to who started the run', async () => {
      const { out } = await run('echo x > mine; stat -c %u:%g mine');
      expect(out).toBe(`${process.getuid?.()}:${process.getgid?.()}`);
      expect(
        (await runCommand('stat', ['-c', '%u:%g', join(project.root, 'mine')], { cwd: '/' })).stdout.toString(),
      ).toBe(`${out}\n`);
    });

    test("the user's home folder is not there; the one inside lasts", async () => {
      const { out } = await run('echo kept > ~/state; cat ~/.ssh/id_una 2>&1; ls -A ~');
      expect(out).not.toContain('a secret');
      expect(out).toContain('state');
      expect(readFileSync(join(project.base, 'home/state'), 'utf8')).toBe('kept\n');
    });

    test('password hashes and keys of this machine cannot be read, not by root either', async () => {
      const { out } = await run('cat /etc/shadow /etc/ssl/private/* /etc/ssh/ssh_host*key 2>/dev/null; id -u');
      expect(out).toBe(String(process.getuid?.()));
    });

    test('the environment is what was given; its values are not on the command line', async () => {
      const command = script(project, '', { TOKEN: 'very-secret' });
      expect((await isolation.wrap(command)).args.join(' ')).not.toContain('very-secret');
      const { out } = await run('echo "$TOKEN $HOME $TMPDIR"', { TOKEN: 'very-secret' });
      expect(out).toBe(`very-secret ${project.input.env['HOME']} /tmp`);
    });

    test('there is no network but the ports of the host that were named', async () => {
      const connect = (number: number) =>
        `node -e 'require("net").connect(${number},"127.0.0.1").on("data",(d)=>process.stdout.write(d)).on("error",(e)=>console.log(e.code))'`;
      const { out } = await run(`ls /sys/class/net; ${connect(port)}; echo; ${connect(9)}`);
      expect(out.split('\n')).toEqual(['lo', 'hello from the host', 'ECONNREFUSED']);
    });

    test('it has no capabilities and can get none', async () => {
      const { out } = await run('grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status');
      expect(out.match(/\t0*([01])$/gm)).toEqual(['\t0000000000000000', '\t0000000000000000', '\t1']);
    });

    // Docker keeps its list of system calls to itself, so that it cannot be made shorter.
    test.runIf(engine === 'podman' && process.arch === 'x64' && existsSync('/usr/bin/perl'))(
      'no debugger holds its first process; programs of its own may be debugged',
      async () => {
        const attach = `perl -e 'for (16, 0x4206) { syscall(101, $_, 1, 0, 0); print $! + 0, " " }'`;
        const { out } = await run(
          `${attach}; sleep 30 & perl -e '$! = 0; syscall(101, 16, $ARGV[0] + 0, 0, 0); print $! + 0' $!; kill -9 $!`,
        );
        expect(out).toMatch(/^(1|38) \1 0$/);
      },
    );

    test('what loses its parent inside does not count as running for ever', async () => {
      const { out } = await run(
        'i=0; while [ $i -lt 300 ]; do (sleep 0 &); i=$((i+1)); done; echo all; grep SigBlk /proc/self/status',
      );
      expect(out).toMatch(/^all\nSigBlk:\t0+$/);
    });

    test('standard input and output carry bytes as they are', async () => {
      const bytes = randomBytes(10 * 1024 * 1024);
      const { stdout } = await run('cat', {}, bytes);
      expect(stdout.equals(bytes)).toBe(true);
    });

    test.runIf(asRoot)('memory beyond the limit is not given', async () => {
      const { exitCode, out } = await run(`node -e '
        const held = [];
        for (let i = 0; i < 200; i++) held.push(Buffer.alloc(10 * 1024 * 1024, 1));
        console.log("all of it");'`);
      expect(out).not.toContain('all of it');
      expect(exitCode).not.toBe(0);
    });

    test('a fork bomb runs out of processes, and is gone with its container', async () => {
      const { err } = await run('i=0; while [ $i -lt 10000 ]; do sleep 30 >/dev/null 2>&1 & i=$((i+1)); done; echo $i');
      expect(err).toMatch(/fork|resource/i);
      const table = await readProcessTable();
      expect(table.filter(({ marker }) => marker?.startsWith(`container-test-${process.pid}-`))).toEqual([]);
    });

    test('told to end, a program inside has its grace', async () => {
      // In a file: Podman's client gets the signal as well, and under load it ends before it has passed on what was
      // printed, with 143, or with 0 when the container is removed before it asked for the code. Who stops an agent
      // knows why, and reads no code.
      const leave = 'echo leaving >> left; sleep 1; echo gone >> left; exit 5';
      const command = script(project, `trap "${leave}" TERM; echo ready; while :; do sleep 0.1; done`);
      const { exitCode } = await stopped(command, async () => {});
      const left = join(project.root, 'left');
      await vi.waitFor(() => expect(readFileSync(left, 'utf8')).toBe('leaving\ngone\n'), 300_000);
      rmSync(left);
      if (engine === 'docker') expect(exitCode).toBe(5);
    });

    test('it ends also where the bridge was stopped by what it runs', async () => {
      expect((await run('kill -STOP $PPID; exit 5')).exitCode).toBe(5);
    });

    test('when its client is killed, nothing of it stays', async () => {
      const command = script(project, 'echo ready; exec sleep 60');
      const { name } = await stopped(command, async (pid) => void process.kill(pid, 'SIGKILL'));
      // Docker's daemon takes its time to forget it.
      await vi.waitFor(async () => expect(await containers()).not.toContain(name), 300_000);
    });

    test('containers of a killed run are removed, those of a live one are not', async () => {
      const { args } = await isolation.wrap(script(project, 'true'));
      const image = args[args.indexOf('--entrypoint') + 2] ?? '';
      const dead = await runCommand('/bin/sh', ['-c', 'echo $$'], { cwd: '/' });
      const make = (name: string, pid: string) =>
        ask(
          'create',
          '--name',
          name,
          '--network',
          'none',
          '--label',
          `ralph-loop.owner=${pid}@${hostname()}`,
          image,
          'x',
        );
      await make(`${RUN}-dead`, dead.stdout.toString().trim());
      await make(`${RUN}-live`, String(process.pid));
      const another = openContainer(project.input);
      await another.prepare({ run: `${RUN}-2`, localPorts: [], onRefusal: () => {} });
      await another.dispose();
      const names = await containers();
      await ask('rm', '--force', `${RUN}-live`);
      expect(names).toContain(`${RUN}-live`);
      expect(names).not.toContain(`${RUN}-dead`);
    });

    async function containers(): Promise<readonly string[]> {
      return (await ask('ps', '--all', '--format', '{{.Names}}')).stdout.toString().split('\n');
    }

    /** Starts a command as agents are started; once it is ready, does something to its client and stops it. */
    async function stopped(command: ReturnType<typeof script>, then: (pid: number) => Promise<void>) {
      const wrapped = await isolation.wrap(command);
      let output = '';
      let ready = () => {};
      const isReady = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const child = await supervise({
        ...{ file: wrapped.file, args: wrapped.args, cwd: wrapped.cwd, env: wrapped.env },
        stdin: '',
        marker: `container-stop-${process.pid}-${engine}`,
        onStdout: (chunk) => {
          output += chunk;
          ready();
        },
        onStderr: () => {},
      });
      await isReady;
      await then(child.pid);
      await child.stop(5000);
      const { exitCode } = await child.exited;
      await wrapped.end();
      return { exitCode, output, name: wrapped.args[wrapped.args.indexOf('--name') + 1] ?? '' };
    }
  });
});

test('a program that was planted where the inside can write is not found', async () => {
  const { base, root, input, dispose } = await makeProject({}, {});
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(base, 'bin'));
  symlinkSync(root, join(base, 'alias'));
  const folders = [
    ...[join(root, 'node_modules/.bin'), join(base, 'alias/node_modules/.bin')],
    ...['bin', '', '.', join(base, 'bin'), '/usr/bin', '/nowhere'],
  ];
  const { PATH } = await clientEnvironment({ ...input, env: { PATH: folders.join(':') } });
  await dispose();
  expect(PATH).toBe([join(base, 'bin'), '/usr/bin', '/nowhere'].join(':'));
});

test('its home folder is that of the account, where rootless engines keep their images', async () => {
  const { input, dispose } = await makeProject({}, {});
  const client = await clientEnvironment(input);
  await dispose();
  expect(client['HOME']).toBe(homedir());
});
