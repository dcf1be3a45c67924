import type { Git } from '../../adapters/git/index.ts';
import { viewPullRequest } from '../../adapters/github/index.ts';
import { UsageError } from '../../contracts/index.ts';
import { counted, oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';

/** The change that a review is about. */
export interface Target {
  /** For people: `main..HEAD`. */
  readonly label: string;
  /** Commits: the change is what lies between them. */
  readonly base: string;
  readonly head: string;
  /** What the change is for, in its author's words. */
  readonly about: string;
  /** It holds what is in no commit yet. */
  readonly uncommitted: boolean;
}

/**
 * Finds out what is to be reviewed: a range, a pull request, what is staged; without any of them what is not committed,
 * else what this branch has beyond its base.
 * @throws UsageError for a name that is not a commit, and where there is nothing to review
 */
export async function targetOf(
  git: Git,
  asked: { readonly what: string | undefined; readonly staged: boolean },
  io: Io,
): Promise<Target> {
  const { what, staged } = asked;
  if (what !== undefined && staged) {
    throw new UsageError({ what: `--staged and ${what} cannot be used together`, fix: ['leave out one of them'] });
  }
  if (staged) return uncommitted(git, 'staged changes', await git.indexTree());
  if (what === undefined) return byDefault(git);
  return PULL_REQUEST.test(what) ? pullRequest(git, what.replace(/^#/, ''), io) : range(git, what);
}

const PULL_REQUEST = /^(?:#?[1-9]\d{0,8}|https?:\/\/\S+\/pull\/\d+\S*)$/;

async function byDefault(git: Git): Promise<Target> {
  const { tracked, untracked } = await git.dirty([]);
  if (tracked.length + untracked > 0) return uncommitted(git, 'uncommitted changes', await git.tree());
  const branch = await git.defaultBranch();
  const base =
    branch && ((await git.resolve(`refs/remotes/origin/${branch}`)) ?? (await git.resolve(`refs/heads/${branch}`)));
  const head = (await git.resolve('HEAD')) ?? '';
  const from = base ? await git.mergeBase(base, head) : null;
  if (from !== null && from !== head) return committed(git, `${branch}..HEAD`, from, head);
  throw new UsageError({
    what: 'there is nothing to review',
    why: branch
      ? `there are no uncommitted changes, and this branch has no commits that are not on ${branch}`
      : 'there are no uncommitted changes, and the base of this branch is not known',
    fix: ['name it: ralph review HEAD~3, ralph review main..topic, or ralph review 123 for a pull request'],
  });
}

async function uncommitted(git: Git, label: string, tree: string): Promise<Target> {
  const base = (await git.resolve('HEAD')) ?? '';
  const text = { subject: label, body: '', trailers: [] };
  const head = await git.commitTree({ tree, parents: [base], ...text, date: Date.now(), sign: false });
  return { label, base, head, about: '', uncommitted: true };
}

/** `A..B` and `A...B` both mean what B has beyond A, as a pull request shows it; `A` alone is `A..HEAD`. */
async function range(git: Git, text: string): Promise<Target> {
  const [from = '', to = ''] = text.split(/\.{2,3}/);
  const [base, head] = await Promise.all([from || 'HEAD', to || 'HEAD'].map((name) => commitOf(git, name)));
  const fork = (await git.mergeBase(base ?? '', head ?? '')) ?? base ?? '';
  return committed(git, text.includes('..') ? text : `${text}..HEAD`, fork, head ?? '');
}

async function commitOf(git: Git, name: string): Promise<string> {
  const commit = await git.resolve(name);
  if (commit !== null) return commit;
  throw new UsageError({
    what: `there is no commit '${oneLine(name)}'`,
    fix: ['ralph review takes a range (main..HEAD), a commit to start after (HEAD~3), or a pull request (123)'],
  });
}

const MOST_SUBJECTS = 50;

async function committed(git: Git, label: string, base: string, head: string): Promise<Target> {
  const { count, commits } = await git.commitsBetween(base, head, MOST_SUBJECTS);
  const subjects = commits.map(({ id, subject }) => `- ${id.slice(0, 12)} ${subject}`).join('\n');
  const about = `${counted(count, 'commit')}:\n${subjects}`;
  return { label, base, head, about, uncommitted: false };
}

async function pullRequest(git: Git, which: string, io: Io): Promise<Target> {
  const onSlow = (text: string) => void io.stderr.write(`${text}\n`);
  const found = await viewPullRequest(which, { cwd: git.repo.root, env: io.env, onSlow });
  const { number, title, body, base, baseCommit, headCommit } = found;
  if ((await git.resolve(baseCommit)) === null || (await git.resolve(headCommit)) === null) {
    const remotes = await git.remotes();
    const remote = remotes.includes('origin') ? 'origin' : (remotes[0] ?? 'origin');
    const refs = [`refs/pull/${number}/head`, `refs/heads/${base}`];
    await git.fetchObjects({ remote, refs, env: io.env, terminal: io.isTTY });
  }
  const head = await commitOf(git, headCommit);
  const fork = (await git.mergeBase(await commitOf(git, baseCommit), head)) ?? baseCommit;
  const change = await committed(git, `pull request ${number}`, fork, head);
  return { ...change, about: [title, body, change.about].filter((part) => part.trim() !== '').join('\n\n') };
}
