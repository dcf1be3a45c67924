import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { directHookRunner } from '../../src/adapters/git/hook-runner.fixture.ts';
import { type Checkpoint, type Git, openGit } from '../../src/adapters/git/index.ts';
import { splitNul } from '../../src/adapters/git/lists.ts';
import type { CommitRequest } from '../../src/adapters/git/port.ts';
import { pathFromBytes, pathToBytes } from '../../src/platform/index.ts';

/** A real repository in a folder of its own, with a user whose configuration is known. */
export interface Repository {
  readonly root: string;
  readonly git: Git;
  readonly env: NodeJS.ProcessEnv;
  /** Runs git as the user or the agent would; returns its output. */
  run(...args: string[]): string;
  /** Runs a shell command in the work tree. */
  sh(command: string): string;
  write(path: string, text: string | Uint8Array, mode?: number): void;
  read(path: string): string | null;
}

export async function makeRepository(
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' },
): Promise<Repository> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-git-')));
  onTestFinished(() => {
    execFileSync('chmod', ['-R', 'u+rwX', home]);
    rmSync(home, { recursive: true, force: true });
  });
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'xdg'),
    GIT_CONFIG_NOSYSTEM: '1',
    TMPDIR: home,
  };
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Una User\n\temail = una@example.org\n[init]\n\tdefaultBranch = main\n',
  );
  const root = join(home, 'work');
  mkdirSync(root);
  const bare = repositoryAt(root, env);
  bare.run('init', '-q');
  for (const [path, text] of Object.entries(files)) bare.write(path, text);
  bare.run('add', '-A');
  bare.run('commit', '-q', '-m', 'start', '--allow-empty');
  return { ...bare, git: await openGit(root, { env }) };
}

function repositoryAt(root: string, env: NodeJS.ProcessEnv): Omit<Repository, 'git'> {
  return {
    root,
    env,
    run: (...args) => execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: 'pipe' }),
    sh: (command) => execFileSync('sh', ['-c', command], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' }),
    write(path, text, mode) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
      if (mode !== undefined) chmodSync(join(root, path), mode);
    },
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null),
  };
}

/** Every file, link and directory of a work tree (without .git) → type, mode and contents. */
export function workTree(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (dir: Buffer, prefix: string): void => {
    for (const name of readdirSync(dir, { encoding: 'buffer' })) {
      const path = prefix + pathFromBytes(name);
      if (path === '.git') continue;
      const full = Buffer.concat([dir, Buffer.from('/'), name]);
      const stat = lstatSync(full);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found.set(path, `link ${readlinkSync(full, { encoding: 'buffer' }).toString('hex')}`);
      else if (stat.isDirectory()) {
        found.set(path, `dir ${mode}`);
        visit(full, `${path}/`);
      } else found.set(path, stat.isFile() ? `file ${mode} ${blobId(readFileSync(full))}` : 'special');
    }
  };
  visit(Buffer.from(root), '');
  return found;
}

/** The id git gives these bytes (SHA-1). */
function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** HEAD, branch, index bytes and entries: all that must come back besides the work tree. */
export function gitState(repo: Pick<Repository, 'root' | 'run'>) {
  const index = repo.run('rev-parse', '--path-format=absolute', '--git-path', 'index').trimEnd();
  return {
    head: repo.run('rev-parse', 'HEAD'),
    symbolic: repo.run('rev-parse', '--abbrev-ref', 'HEAD'),
    index: existsSync(index) ? blobId(readFileSync(index)) : null,
    entries: repo.run('ls-files', '-s', '-v'),
  };
}

/** Entries of a commit or tree: path → object id. */
export function treeEntries(repo: Pick<Repository, 'root' | 'env'>, treeish: string): ReadonlyMap<string, string> {
  const output = execFileSync('git', ['ls-tree', '-r', '-z', treeish], {
    cwd: repo.root,
    env: repo.env,
    maxBuffer: 1 << 28,
  });
  return new Map(
    splitNul(output).map((record) => {
      const tab = record.indexOf('\t');
      return [pathFromBytes(record.subarray(tab + 1)), record.subarray(0, tab).toString().split(' ')[2] ?? ''];
    }),
  );
}

export function absolute(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), pathToBytes(path)]);
}

export function request(checkpoint: Checkpoint, more: Partial<CommitRequest> = {}): CommitRequest {
  return {
    checkpoint,
    paths: [],
    files: {},
    subject: 'feat(US-001): work',
    body: '',
    trailers: [['Ralph-Story', 'US-001']],
    date: 1_700_000_000_000,
    hooks: false,
    runHook: directHookRunner(),
    guestHooks: false,
    sign: false,
    ...more,
  };
}

/** Prepares and applies; the commit's id. */
export async function accept(git: Git, checkpoint: Checkpoint, more: Partial<CommitRequest> = {}): Promise<string> {
  const after = await git.after(checkpoint);
  const outcome = await git.prepareCommit(
    request(checkpoint, { paths: after.changed.map(({ path }) => path), ...more }),
  );
  if (outcome.kind !== 'prepared') throw new Error(`not prepared: ${outcome.kind}`);
  await git.applyCommit({ checkpoint, commit: outcome.commit, agentHead: after.head });
  return outcome.commit;
}
