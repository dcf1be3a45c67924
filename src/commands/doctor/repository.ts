import type { Git } from '../../adapters/git/index.ts';
import type { System } from '../../adapters/isolation/index.ts';
import type { Config, Env } from '../../contracts/index.ts';
import { exists, findProgram, ignoresCase, readInside, readText } from '../../platform/index.ts';
import { counted } from '../../rules/text/index.ts';
import { type Finding, findingOf, installLine, look } from './finding.ts';

const MOST_READ = 100;
const MOST_BYTES = 1024 * 1024;

interface Place {
  readonly env: Env;
  readonly system: System;
}

/** Files that say that git needs a program here, for a commit or a checkout. */
const HELPERS: readonly { readonly file: string; readonly says: RegExp; readonly program: string }[] = [
  { file: '.gitattributes', says: /filter=lfs/, program: 'git-lfs' },
  { file: '.pre-commit-config.yaml', says: /./, program: 'pre-commit' },
  { file: 'lefthook.yml', says: /./, program: 'lefthook' },
];

/** The state of the repository: what a run refuses to start from, and what would surprise the user in the morning. */
export async function examineRepository(
  git: Git,
  config: Pick<Config, 'dirty' | 'branch'> | null,
  exempt: readonly string[],
  place: Place,
): Promise<readonly Finding[]> {
  const operation = await underWay(git);
  const found = await Promise.all([
    operation,
    config?.dirty === 'keep' ? null : changes(git, config?.dirty ?? 'refuse', exempt, operation !== null),
    branch(git, config?.branch ?? true),
    identity(git),
    helpers(git.repo.root, place),
    surroundings(git.repo),
  ]);
  return found.flatMap((one) => one ?? []);
}

async function underWay(git: Git): Promise<Finding | null> {
  const [, finding] = await look(
    'git state',
    () => git.refuseOperationsUnderWay(),
    () => '',
  );
  return finding.state === 'ok' ? null : finding;
}

async function changes(
  git: Git,
  dirty: Config['dirty'],
  exempt: readonly string[],
  underWay: boolean,
): Promise<Finding> {
  const [report, finding] = await look(
    'changes',
    () => git.dirty(exempt),
    ({ untracked }) =>
      untracked === 0
        ? 'no uncommitted changes'
        : `no uncommitted changes; ${counted(untracked, 'untracked file or folder', 'untracked files or folders')}`,
  );
  if (report === null || report.tracked.length === 0) return finding;
  const shown = report.tracked.slice(0, 3).join(', ') + (report.tracked.length > 3 ? ' …' : '');
  return {
    ...finding,
    state: dirty === 'refuse' ? 'failed' : 'warning',
    detail: `${counted(report.tracked.length, 'tracked file')} with uncommitted changes: ${shown}`,
    // A commit would conclude the merge, and commit its conflict markers as text.
    fix: underWay
      ? ['git status']
      : (await haveConflicts(git.repo.root, report.tracked))
        ? ['git diff --check']
        : ['git stash', "git commit -am 'Work so far'", 'ralph run --dirty=keep'],
  };
}

/** The three markers, in order. One search after the other: a single pattern would try every pair of them. */
function holdsConflict(text: string): boolean {
  const from = text.search(/^<{7} /m);
  const middle = from < 0 ? -1 : text.slice(from).search(/^={7}$/m);
  return middle >= 0 && /^>{7} /m.test(text.slice(from + middle));
}

/** Whether some of the changed files, read to a limit, hold the markers of a failed merge. */
async function haveConflicts(root: string, paths: readonly string[]): Promise<boolean> {
  const texts = await Promise.all(
    paths.slice(0, MOST_READ).map(async (path) => {
      const { bytes } = await readInside(root, path, MOST_BYTES).catch(() => ({ bytes: null }));
      return bytes?.toString('utf8') ?? '';
    }),
  );
  return texts.some(holdsConflict);
}

async function branch(git: Git, ownBranch: boolean): Promise<Finding> {
  const [name, finding] = await look(
    'branch',
    () => git.currentBranch(),
    (one) => one ?? 'no branch is checked out (detached HEAD)',
  );
  if (name !== null || ownBranch) return finding;
  return {
    ...finding,
    state: 'warning',
    fix: ['git switch -c my-work'],
    more: ['with `branch: false`, commits would not be on any branch'],
  };
}

function identity({ identity }: Git): Finding | null {
  const { GIT_AUTHOR_NAME: name = '', GIT_AUTHOR_EMAIL: email = '' } = identity;
  // The author of commits where git has no identity.
  if (email !== 'ralph@localhost') return null;
  const detail = `your git name and e-mail are not set: commits would be by ${name} <${email}>`;
  const fix = ["git config --global user.name 'Your Name'", 'git config --global user.email you@example.org'];
  return findingOf('identity', 'warning', detail, fix);
}

async function helpers(root: string, { env, system }: Place): Promise<readonly Finding[]> {
  const found = await Promise.all(
    HELPERS.map(async ({ file, says, program }): Promise<Finding | null> => {
      if (findProgram(program, env['PATH']) !== null) return null;
      if (!says.test((await readText(`${root}/${file}`)) ?? '')) return null;
      const fix = program === 'pre-commit' ? 'pipx install pre-commit' : installLine(program, system);
      return findingOf(program, 'warning', `${file} needs ${program}, which is not on the PATH`, [fix]);
    }),
  );
  return found.flatMap((one) => one ?? []);
}

/** Facts that are fine, and worth knowing when something is odd. */
async function surroundings({ root, gitDir, commonDir }: Git['repo']): Promise<Finding | null> {
  const [shallow, modules, sparse, noCase] = await Promise.all([
    exists(`${commonDir}/shallow`),
    exists(`${root}/.gitmodules`),
    exists(`${gitDir}/info/sparse-checkout`),
    ignoresCase(root),
  ]);
  const facts = [
    ...(gitDir === commonDir ? [] : ['a linked work tree']),
    ...(shallow ? ['a shallow clone'] : []),
    ...(modules ? ['submodules: left unchanged; agents work only in the outer repository'] : []),
    ...(sparse ? ['a sparse checkout'] : []),
    ...(noCase ? ['a file system that ignores case'] : []),
  ];
  return facts.length === 0 ? null : findingOf('kind', 'ok', facts.join('; '));
}
