import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../platform/process/run-command.ts';
import { insideScript } from './inside-script.ts';

const NO_RELAYS = { folder: '/sockets', ports: [] };

async function run(command: string, temp = '/tmp', env: Record<string, string> = {}) {
  const script = insideScript({ platform: 'darwin', proxy: 4001, temp, relays: NO_RELAYS });
  const { exitCode, stdout } = await runCommand('/bin/sh', ['-c', script, 'sh', '/bin/sh', '-c', command], {
    cwd: '/',
    env: { PATH: process.env['PATH'], ...env },
  });
  return { exitCode, output: stdout.toString('utf8').trim() };
}

describe('the script around a command inside', () => {
  it('passes the exit code on, and tells a death by a signal as shells do', async () => {
    expect(await run('exit 7')).toMatchObject({ exitCode: 7 });
    expect(await run('kill -TERM $$')).toMatchObject({ exitCode: 143 });
    expect(await run('kill -KILL $$')).toMatchObject({ exitCode: 137 });
  });

  it('leaves the end to the command when it is told to end', async () => {
    const script = 'trap "echo last words; exit 3" TERM; kill -TERM $PPID; sleep 0.2; kill -TERM $$; sleep 5';
    expect(await run(script)).toEqual({ exitCode: 3, output: 'last words' });
  });

  it('names our proxy, and no other', async () => {
    const env = { ALL_PROXY: 'socks5h://localhost:1', GIT_SSH_COMMAND: 'ssh -o ProxyCommand=x' };
    const { output } = await run('echo "$HTTPS_PROXY $http_proxy [$ALL_PROXY$GIT_SSH_COMMAND] $NO_PROXY"', '/tmp', env);
    expect(output).toBe('http://127.0.0.1:4001 http://127.0.0.1:4001 [] 127.0.0.1,localhost,::1');
  });

  it('takes any folder for temporary files', async () => {
    expect((await run('echo "$TMPDIR"', "/tmp/una's folder")).output).toBe("/tmp/una's folder");
  });

  it('goes through the relays of Linux, whose loopback is not the host’s', () => {
    const relays = { folder: '/sockets', ports: [4002, 5432] };
    const script = insideScript({ platform: 'linux', proxy: 4001, temp: '/tmp', relays });
    expect(script).toContain('HTTP_PROXY=http://127.0.0.1:3128');
    expect(script).toContain("TCP-LISTEN:5432,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:'/sockets/5432.sock'");
    expect(script).not.toContain('4001');
  });
});
