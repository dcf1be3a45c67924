import { dirname } from 'node:path';
import type { Repository } from '../../../../test/support/git-repository.ts';
import { runCommand } from '../../../platform/index.ts';
import type { Guest, HookRunner } from '../port.ts';

/** Runs a shell command in the guest git dir as one inside would, but for the mounts; returns its output. */
export function inGuest(repo: Repository, guest: Guest, command: string): Promise<string> {
  // What is mounted at another path inside is borrowed from where it really is.
  const objects = guest.mounts.filter(({ at }) => /\/borrowed\/\d+\/objects$/.test(at)).map(({ from }) => from);
  const env = {
    ...repo.env,
    GIT_DIR: guest.dir,
    GIT_WORK_TREE: repo.root,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.join(':'),
  };
  return output('sh', ['-ec', command], { cwd: repo.root, env });
}

/** Runs a shell command in bubblewrap, with these mounts over everything else; returns all it said. */
export function inBwrap(repo: Repository, mounts: Guest['mounts'], command: string): Promise<string> {
  const args = bwrapArguments(repo, mounts, ['sh', '-ec', `(${command}) 2>&1`]);
  return output('bwrap', args, { cwd: repo.root, env: repo.env });
}

/** Runs commit hooks in bubblewrap. */
export function bwrapHookRunner(repo: Repository): HookRunner {
  return async ({ file, args, cwd, env, mounts }) => {
    const wrapped = bwrapArguments(repo, mounts, [file, ...args]);
    const result = await runCommand('bwrap', wrapped, { cwd, env: { ...repo.env, ...env } });
    return { exitCode: result.exitCode, output: Buffer.concat([result.stdout, result.stderr]).toString().trim() };
  };
}

/** A path outside the work tree, for what must not come into being. */
export function beside(repo: Repository, name: string): string {
  return `${dirname(repo.root)}/${name}`;
}

function bwrapArguments(repo: Repository, mounts: Guest['mounts'], command: readonly string[]): string[] {
  const host = ['--ro-bind', '/', '/', '--dev', '/dev', '--tmpfs', '/run', '--bind', repo.root, repo.root];
  const binds = mounts.flatMap(({ from, at, writable }) => [writable ? '--bind' : '--ro-bind', from, at]);
  return ['--unshare-user', ...host, ...binds, '--chdir', repo.root, '--', ...command];
}

async function output(file: string, args: readonly string[], options: Parameters<typeof runCommand>[2]) {
  const { exitCode, stdout, stderr } = await runCommand(file, args, options);
  if (exitCode !== 0) throw new Error(`${args.at(-1)}: ${stderr}`);
  return stdout.toString();
}
