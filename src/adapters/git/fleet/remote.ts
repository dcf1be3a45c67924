import { GitRefusal } from '../../../contracts/index.ts';
import { exists, makeDir, runCommand, writeAtomic } from '../../../platform/index.ts';
import { type Env, hostEnv, neutralEnv } from '../environment.ts';

/** Limit for one command; a large fetch takes time, and a connection that hangs must not hold a worker for ever. */
const NETWORK_MS = 5 * 60_000;

/** Refs of the remote by name; only those that exist. */
type RemoteRefs = ReadonlyMap<string, string>;

/** The git repository that a fleet shares, as one worker sees it. */
export interface Remote {
  readonly url: string;
  /** `sha1` or `sha256`. */
  readonly objectFormat: string;
  /** Fetches refs, forced; dst is the name under which they are kept here. False where the remote has no such ref. */
  fetch(refspecs: readonly string[]): Promise<boolean>;
  /** Commit of a ref that was fetched; '' when there is none. */
  fetched(ref: string): Promise<string>;
  push(args: readonly string[]): Promise<{ readonly ok: boolean; readonly said: string }>;
  list(refs: readonly string[]): Promise<RemoteRefs>;
  /** The error for a push that failed for a reason other than a moved ref. */
  refuse(doing: string, said: string): GitRefusal;
}

/**
 * Network commands run in their own git dir: it has only our settings, not those that an agent may have written into
 * the clone's. The account's own settings (credential helpers, address rewriting) apply.
 * @param objects where fetched objects go
 * @throws RemoteRefusal when it cannot be reached
 */
export async function openRemote(input: {
  readonly url: string;
  readonly folder: string;
  readonly objects: string;
  readonly env: Env;
}): Promise<Remote> {
  const { url, folder, objects } = input;
  const gitDir = `${folder}/remote.git`;
  const outside = { ...(await withoutPrompts(input.env, folder)), LC_ALL: 'C' };
  const found = await run(['ls-remote', '--quiet', '--', url], outside);
  if (!found.ok) throw trouble(url, 'read from it', found.said);
  const objectFormat = /^[0-9a-f]{64}\t/.test(found.out) ? 'sha256' : 'sha1';
  const env = {
    ...outside,
    ...hostEnv(outside, { gitDir, root: gitDir, excludesFile: null }),
    GIT_OBJECT_DIRECTORY: objects,
    GIT_WORK_TREE: undefined,
  };
  if (!(await exists(`${gitDir}/HEAD`))) {
    const made = await run(['init', '-q', '--bare', '--template=', `--object-format=${objectFormat}`, gitDir], outside);
    if (!made.ok) throw new GitRefusal({ what: 'git cannot make a repository', where: gitDir, why: made.said });
  }
  await makeDir(objects);
  const settings = settingsFor(objectFormat);
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: git locks refs, and does not wait for the lock. */
  function command(args: readonly string[]): Promise<Said> {
    const next = last.then(async () => {
      await writeAtomic(`${gitDir}/config`, settings, { fsync: false });
      return run(args, env);
    });
    last = next.catch(() => {});
    return next;
  }

  return {
    url,
    objectFormat,
    async fetch(refspecs) {
      const args = ['fetch', '-q', '--prune', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
      const { ok, said } = await command([...args, '--', url, ...refspecs]);
      if (ok) return true;
      if (/couldn't find remote ref/.test(said)) return false;
      throw trouble(url, 'fetch from it', said);
    },
    async fetched(ref) {
      const { out } = await run(['rev-parse', '-q', '--verify', `${ref}^{commit}`], env);
      return out.trim();
    },
    async push(args) {
      // Against any options that the account's settings would add.
      const plain = ['--no-follow-tags', '--no-signed', '--no-verify', '--recurse-submodules=no'];
      return command(['push', '--porcelain', ...plain, ...args]);
    },
    async list(refs) {
      const { ok, said, out } = await command(['ls-remote', '--quiet', '--', url, ...refs]);
      if (!ok) throw trouble(url, 'read from it', said);
      const lines = out.split('\n').map((line) => line.split('\t'));
      return new Map(lines.flatMap(([id, name]) => (id && name ? [[name, id] as const] : [])));
    },
    refuse: (doing, said) => trouble(url, doing, said),
  };

  async function run(args: readonly string[], environment: Env): Promise<Said> {
    const result = await runCommand('git', args, { cwd: folder, env: environment, timeoutMs: NETWORK_MS });
    const said = [result.stderr, result.stdout].map((bytes) => bytes.toString('utf8').trim()).join('\n');
    return {
      ok: result.exitCode === 0,
      said: result.timedOut ? `no answer from ${shownUrl(url)} within five minutes` : said,
      out: result.stdout.toString('utf8'),
    };
  }
}

interface Said {
  readonly ok: boolean;
  readonly said: string;
  readonly out: string;
}

function settingsFor(objectFormat: string): string {
  const version = objectFormat === 'sha1' ? 0 : 1;
  const extensions = version === 0 ? '' : `[extensions]\n\tobjectFormat = ${objectFormat}\n`;
  return `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n${extensions}`;
}

/** No person can answer prompts of git or ssh. An ssh command that the user chose is left unchanged. */
async function withoutPrompts(given: Env, folder: string): Promise<Env> {
  const env = neutralEnv(given);
  const { GIT_SSH_COMMAND: command, GIT_SSH: program } = env;
  if (command || program) return env;
  const configured = await runCommand('git', ['config', '--global', 'core.sshCommand'], { cwd: folder, env });
  if (configured.exitCode === 0) return env;
  return { ...env, GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=30' };
}

/** The remote of a fleet refused or failed. */
export class RemoteRefusal extends GitRefusal {
  /** A later try may succeed: a network failure, or two pushes at once. */
  transient = true;
}

/** Failures that waiting does not fix. */
const FOR_GOOD =
  /permission (to .* )?denied|authentication failed|could not read (username|password)|access denied|not appear to be a git repository|repository .*not found|does not support --atomic|hook declined|protected branch|dubious ownership|unknown .*transport|unable to find remote helper/i;

function trouble(url: string, doing: string, said: string): RemoteRefusal {
  const refusal = new RemoteRefusal({
    what: `git could not ${doing}: the remote of the fleet`,
    where: shownUrl(url),
    why: said.trim().split('\n').slice(-5).map(shownUrl).join('\n') || 'git said nothing',
    fix: [
      `try it as the same user on this machine: git ls-remote ${shownUrl(url)}`,
      'nobody can be asked for a password here: use a key, or a credential helper',
    ],
  });
  refusal.transient = !FOR_GOOD.test(said);
  return refusal;
}

/** Without a password in it. */
function shownUrl(text: string): string {
  return text.replace(/(:\/\/)[^@/\s]*@/g, '$1');
}
