import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandResult, runCommand } from '../../src/platform/index.ts';
import { clientEnvironment } from './client-environment.ts';
import { type ModelServer, type Script, startModelServer } from './model-server.ts';

/** How a program ended and what it printed. */
export interface Printed {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the client says it has loaded, at the beginning of a session. */
export interface Loaded {
  readonly plugins: readonly { readonly name: string }[];
  /** Absent when there were none. */
  readonly plugin_errors?: unknown;
}

/** A person's own use of the real client: a repository with a remote, a home of its own, no run of ralph anywhere. */
export interface OwnSession {
  readonly repo: string;
  /** The remote of `repo`, which has all its commits. */
  readonly remote: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the model was asked. */
  readonly requests: ModelServer['requests'];
  /** Runs the client with these arguments in the repository. */
  claude(...args: readonly string[]): Promise<Printed>;
  /** One session of the client in which it asks nobody for permission. */
  prompt(): Promise<Loaded>;
  git(...args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Should a guard fail, the test must not take the machine with it. */
const HARMLESS_RM = '#!/bin/sh\necho "not removed: $*"\n';

/** Makes one; the caller removes it. */
export async function openOwnSession(binary: string, script: Script): Promise<OwnSession> {
  const base = await mkdtemp(join(tmpdir(), 'ralph-own-'));
  const [repo, remote, bin, temp] = ['repo', 'remote.git', 'bin', 'tmp'].map((name) => join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  await Promise.all([repo, bin, temp].map((folder) => mkdir(folder)));
  await writeFile(join(bin, 'rm'), HARMLESS_RM);
  await chmod(join(bin, 'rm'), 0o755);
  const server = await startModelServer(script);
  const plain = await clientEnvironment(base, server.url);
  const env = {
    ...plain,
    PATH: `${bin}:${plain['PATH']}`,
    TMPDIR: temp,
    CLAUDE_CODE_TMPDIR: temp,
    CLAUDE_CODE_MAX_RETRIES: '0',
    DISABLE_AUTOUPDATER: '1',
    NO_COLOR: '1',
  };
  const run = async (file: string, args: readonly string[]): Promise<Printed> =>
    printed(await runCommand(file, args, { cwd: repo, env, timeoutMs: 300_000 }));
  const git = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await run('git', args);
    if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trimEnd();
  };
  await git('init', '-q', '--bare', '-b', 'main', remote);
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'A User');
  await git('config', 'user.email', 'user@example.org');
  await writeFile(join(repo, 'README.md'), '# project\n');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'start');
  await git('remote', 'add', 'origin', remote);
  await git('push', '-q', '-u', 'origin', 'main');
  return {
    repo,
    remote,
    env,
    requests: server.requests,
    claude: (...args) => run(binary, args),
    async prompt() {
      const model = ['--model', 'claude-sonnet-5-5', '--dangerously-skip-permissions'];
      const { exitCode, stdout, stderr } = await run(binary, ['-p', 'Go on.', ...model, ...STREAM]);
      if (exitCode !== 0) throw new Error(`the client ended with ${exitCode}: ${stderr}${stdout}`);
      const events = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return events.find(({ subtype }) => subtype === 'init');
    },
    git,
    async remove() {
      await server.close();
      await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

const STREAM = ['--output-format', 'stream-json', '--verbose'];

function printed({ exitCode, stdout, stderr }: CommandResult): Printed {
  return { exitCode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
}
