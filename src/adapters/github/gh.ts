import { jsonObject, UsageError } from '../../contracts/index.ts';
import { runCommand, SpawnFailed } from '../../platform/index.ts';

/** A slow network is no reason to stop; a program that waits for an answer that never comes is. */
const TIMEOUT_MS = 60_000;
/** Time after which the user wants to know what is being waited for. */
const SLOW_MS = 5_000;

export interface GhOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to its standard input, for `--body-file -`. */
  readonly input?: string;
  /** Default: a minute. */
  readonly timeoutMs?: number;
  /** Called with what is being waited for, when it takes long. Must not throw. */
  readonly onSlow?: (text: string) => void;
}

/**
 * Runs GitHub's own command line program, which has the user's login; nothing else here talks to GitHub. It cannot ask
 * questions. Any exit code is a result; null when a signal ended it, or it took too long.
 * @throws UsageError ({@link ghUnavailable}) when the program is missing, or no user is logged in
 */
export async function tryGh(args: readonly string[], options: GhOptions) {
  const { cwd, env, input, timeoutMs = TIMEOUT_MS, onSlow } = options;
  const command = `gh ${args.slice(0, 2).join(' ')}`;
  const slow = setTimeout(() => onSlow?.(`waiting for ${command}, at most ${timeoutMs / 1000} s`), SLOW_MS);
  const result = await runCommand('gh', args, {
    cwd,
    env: { ...env, GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', GH_PAGER: '', NO_COLOR: '1' },
    timeoutMs,
    ...(input === undefined ? {} : { input }),
  })
    .catch((error: unknown) => {
      if (!(error instanceof SpawnFailed)) throw error;
      const install = 'install gh, the command line program of GitHub: https://cli.github.com';
      throw ghUnavailable('gh is not installed', [install, LOG_IN]);
    })
    .finally(() => clearTimeout(slow));
  const late = `it took longer than ${timeoutMs / 1000} s and was ended`;
  const stderr = result.timedOut ? late : result.stderr.toString('utf8');
  // 4 is gh's own code for a missing login.
  if (result.exitCode === 4 || /\bgh auth login\b/.test(stderr))
    throw ghUnavailable('gh is not logged in to GitHub', [LOG_IN]);
  return { exitCode: result.timedOut ? null : result.exitCode, stdout: result.stdout.toString('utf8'), stderr };
}

/**
 * Like {@link tryGh}, but anything except success is an error.
 * @returns what it printed
 * @throws UsageError with what it said
 */
export async function runGh(args: readonly string[], options: GhOptions): Promise<string> {
  const result = await tryGh(args, options);
  if (result.exitCode === 0) return result.stdout;
  const said = lastLines(result.stderr);
  throw new UsageError({
    what: `gh ${args.slice(0, 2).join(' ')} failed`,
    where: `gh ${args.join(' ')}`,
    why: said || `it exited with ${result.exitCode ?? 'a signal'} and printed nothing`,
    fix: ['type the same command yourself to see what it needs'],
  });
}

/**
 * Makes sure that a user is logged in.
 * @throws UsageError with gh's message about the login: it is missing, invalid, or cannot be checked without a network
 */
export async function needLogin(options: GhOptions): Promise<void> {
  const { exitCode, stdout, stderr } = await tryGh(['auth', 'status'], options);
  if (exitCode === 0) return;
  const said = lastLines(stderr) || lastLines(stdout) || 'gh reports no login';
  throw ghUnavailable(said, [LOG_IN, 'check: gh auth status']);
}

const LOG_IN = 'log in once: gh auth login';

/** The error for a user who cannot use `gh`. */
function ghUnavailable(why: string, fix: readonly string[]): UsageError {
  return new UsageError({ what: 'GitHub cannot be reached', why, fix });
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n');
}

/** Which issues: of a repository (null: the current one), with a label, or one by its number. */
interface IssueQuery {
  readonly repository: string | null;
  readonly label: string | null;
  readonly number: number | null;
}

/** More than any run completes, few enough to list at once. */
export const MOST_ISSUES = 500;
const FIELDS = 'number,title,state,body,labels,url,author,milestone';
/** A list takes seconds; a person at a terminal gives up sooner than a run does. */
const LIST_TIMEOUT_MS = 30_000;

/**
 * Open issues, oldest first, at most {@link MOST_ISSUES}; or the one that the query names, in any state.
 * @throws UsageError when gh is missing, not logged in, silent for 30 s, or knows no such repository
 */
export async function listIssues(query: IssueQuery, options: GhOptions) {
  const where = query.repository === null ? [] : ['--repo', query.repository];
  const what =
    query.number === null
      ? ['issue', 'list', ...where, ...(query.label === null ? [] : ['--label', query.label]), '--state', 'open']
      : ['issue', 'view', String(query.number), ...where];
  const limit = query.number === null ? ['--limit', String(MOST_ISSUES)] : [];
  const printed = await runGh([...what, ...limit, '--json', FIELDS], { timeoutMs: LIST_TIMEOUT_MS, ...options });
  return issuesIn(printed).sort((a, b) => a.number - b.number);
}

function issuesIn(printed: string) {
  try {
    const value = JSON.parse(printed) as Printed | readonly Printed[];
    return [value].flat().map(toIssue);
  } catch {
    throw new UsageError({
      what: 'gh printed something other than a list of issues',
      why: printed.trim().slice(0, 200),
      fix: ['update gh: https://cli.github.com'],
    });
  }
}

/** What `gh --json` prints of an issue; old versions leave fields out. */
interface Printed {
  readonly number?: number;
  readonly title?: string;
  readonly body?: string;
  readonly labels?: readonly { readonly name: string }[];
  readonly url?: string;
  readonly author?: { readonly login: string };
  readonly milestone?: { readonly title: string } | null;
  readonly state?: string;
}

/** Other people wrote every text: data, never instructions to us. */
function toIssue(printed: Printed) {
  const { number, title = '', body = '', labels = [], url = '', author, milestone, state = '' } = printed;
  if (!Number.isSafeInteger(number)) throw new TypeError('an issue without a number');
  return {
    number: Number(number),
    title,
    body,
    labels: labels.map(({ name }) => name),
    url,
    author: author?.login ?? '',
    milestone: milestone?.title || null,
    isOpen: !/^(?:closed|merged)$/i.test(state),
  };
}

/** A pull request as far as a review needs it. Its author wrote title and text. */
interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly base: string;
  readonly baseCommit: string;
  readonly headCommit: string;
}

/**
 * @param which its number or address
 * @throws UsageError when gh is missing, not logged in, or knows no such pull request
 */
export async function viewPullRequest(which: string, options: GhOptions): Promise<PullRequest> {
  const fields = 'number,title,body,baseRefName,baseRefOid,headRefOid';
  const printed = await runGh(['pr', 'view', which, '--json', fields], { timeoutMs: LIST_TIMEOUT_MS, ...options });
  const found = jsonObject(printed) ?? {};
  const text = (name: string) => (typeof found[name] === 'string' ? found[name] : '');
  const request = { title: text('title'), body: text('body'), base: text('baseRefName') };
  const commits = { baseCommit: text('baseRefOid'), headCommit: text('headRefOid') };
  const isWhole = Object.values(commits).every((id) => /^[0-9a-f]{40,64}$/.test(id));
  if (isWhole) return { number: Number(found['number']), ...request, ...commits };
  throw new UsageError({
    what: 'gh did not say which commits the pull request has',
    why: printed.trim().slice(0, 200),
    fix: ['update gh: https://cli.github.com', 'or fetch it and give a range: ralph review main...BRANCH'],
  });
}
