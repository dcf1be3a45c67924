import type { GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag, operands, optionValue, textsOf } from '../options.ts';
import { UNKNOWN } from '../words.ts';
import { gitCall, gitOperands, isSharedBranch, standsOnSharedBranch, worksInScratch } from './matching/git.ts';
import { feeders, sourcesOfWords } from './matching/network.ts';
import { allOf, anyOf, forPrograms, isRehearsal, not, shapes } from './matching/shape.ts';

/** Ways to name all files in the work tree. */
const EVERYTHING = /^(\.\/?|\*|:\/|:|\.\/\*|:\(top\).*|\*\*(\/\*)?)$/;

const restoresEverything = forPrograms('git', (command, { root }) => {
  if (isRehearsal(command)) return false;
  const checkout = gitOperands(command, 'checkout');
  const listed = command.via.includes('xargs') ? `./${UNKNOWN}` : '.';
  const everything = (word: string) => EVERYTHING.test(word) || word === listed || word === root;
  if (checkout !== null) return hasFlag(command, 'f', 'force') || checkout.some(everything);
  const restore = gitOperands(command, 'restore');
  if (restore === null || !restore.some(everything)) return false;
  return !hasFlag(command, 'S', 'staged') || hasFlag(command, 'W', 'worktree');
});

/** `git diff | git apply -R`, `git diff | patch -R`. */
const reversesWork = forPrograms('git patch', (command, _context, script) => {
  const call = command.name === 'patch' ? command : gitCall(command, 'apply');
  if (call === null || !hasFlag(call, 'R', 'reverse') || hasFlag(call, 'check', 'stat')) return false;
  const sources = [...feeders(command), ...sourcesOfWords(command, script), ...redirectedFrom(command, script)];
  return sources.some((source) => gitCall(source, 'diff') !== null);
});

const redirectedFrom = ({ redirects }: SimpleCommand, script: readonly SimpleCommand[]) =>
  redirects.some(({ target }) => target.text.startsWith('/dev/fd/'))
    ? script.filter(({ via }) => via.includes('<()'))
    : [];

const cleansEverything = forPrograms('git', (command, { root }) => {
  const paths = gitOperands(command, 'clean');
  if (paths === null || isRehearsal(command) || hasFlag(command, 'n', 'i', 'interactive')) return false;
  return paths.length === 0 || paths.some((path) => EVERYTHING.test(path) || path === root);
});

const NOTHING = { args: [] } as const;

const hitsSharedBranch = forPrograms('git', (command) => {
  const branch = gitCall(command, 'branch');
  if (branch !== null) {
    const named = textsOf(operands(branch));
    const removes = hasFlag(branch, 'd', 'delete') || (hasFlag(branch, 'm', 'M', 'move') && named.length > 1);
    return removes && named.some(isSharedBranch);
  }
  const recreated = optionValue(gitCall(command, 'checkout') ?? NOTHING, 'B');
  const moved = recreated ?? optionValue(gitCall(command, 'switch') ?? NOTHING, 'C', 'force-create');
  if (moved !== null) return isSharedBranch(moved.text);
  return (gitOperands(command, 'fetch') ?? gitOperands(command, 'pull') ?? []).some((refspec) =>
    isSharedBranch(/:(.+)$/.exec(refspec)?.[1] ?? ''),
  );
});

/** Branches that flow into the agent's own: merging them is not an integration. */
const UPSTREAM = /^(origin|upstream)\/|^@\{|^FETCH_HEAD$/;

const mergesOwnWork = forPrograms('git', (command, _context, script) => {
  if (isRehearsal(command)) return false;
  // A pull from the repository itself is a merge.
  const [from, ...pulled] = gitOperands(command, 'pull') ?? [];
  if (from === '.') return !pulled.every(isUpstream);
  const merged = gitOperands(command, 'merge');
  if (merged === null || hasFlag(command, 'abort', 'quit', 'continue')) return false;
  if (standsOnSharedBranch(command, script)) return true;
  return merged.length > 0 && !merged.every(isUpstream);
});

function isUpstream(branch: string): boolean {
  return UPSTREAM.test(branch) || isSharedBranch(branch);
}

/** Commands that change a branch, after a switch to a shared one. */
const changesSharedBranch = forPrograms(
  'git',
  (command, _context, script) =>
    ['commit', 'rebase', 'cherry-pick', 'reset', 'revert', 'am'].some((verb) => gitOperands(command, verb) !== null) &&
    standsOnSharedBranch(command, script),
);

/** Variables by which hooks are skipped, for this command or exported before it. */
const SKIPS = /^(HUSKY=0|LEFTHOOK=0|HUSKY_SKIP_HOOKS=.*|SKIP=.+|PRE_COMMIT_ALLOW_NO_CONFIG=.*|OVERCOMMIT_DISABLE=.*)$/;

const skipsByVariable = allOf(
  shapes('git commit|merge|push|rebase|am|cherry-pick', 'npm|yarn|pnpm version'),
  (command, _context, script) => {
    const exported = script.filter(({ name }) => name === 'export').flatMap(({ args }) => textsOf(args));
    const own = command.assignments.map(({ name, value }) => `${name}=${value.text}`);
    return [...own, ...exported].some((text) => SKIPS.test(text));
  },
);

/** Not for a repository that a test made in a temporary folder. */
const outsideScratch = (...choices: readonly (string | GuardTest)[]): GuardTest =>
  allOf(not(worksInScratch), anyOf(...choices));

export const gitLocal: GuardRules = {
  'git-local/reset': {
    reason: 'This throws away commits or uncommitted work.',
    alternative: 'Commit what you have; the loop keeps a checkpoint and rolls back by itself.',
    matches: outsideScratch(
      'git reset --hard|--merge|--keep',
      'git read-tree --reset|-u|-m|--empty',
      'git checkout-index -f|--force|-a|--all',
      'git switch -f|--force|--discard-changes',
      'jj abandon|undo|restore',
      'hg revert|update -C|--clean|--all|-a',
      'hg strip|purge',
      'svn revert -R|--recursive',
      'jj op|operation restore|abandon|undo',
    ),
  },
  'git-local/discard': {
    reason: 'This throws away all uncommitted work.',
    alternative: 'Restore single files by name, or commit: the loop rolls back by itself.',
    matches: outsideScratch(restoresEverything, reversesWork),
  },
  'git-local/clean': {
    reason: 'This deletes every file that git does not track, new work included.',
    alternative: 'Delete the files you mean by name.',
    matches: outsideScratch(cleansEverything),
  },
  'git-local/branches': {
    reason: 'This deletes, renames or moves a branch, and with it what only that branch holds.',
    alternative: 'Leave branches as they are; a new one is git switch -c NAME.',
    matches: anyOf('git branch -D|-C|-f|--force', 'jj branch|bookmark delete', hitsSharedBranch),
  },
  'git-local/stash': {
    reason: "This deletes stashed work, perhaps the user's.",
    alternative: 'Leave the stash; git stash list and show are fine.',
    matches: shapes('git stash drop|clear'),
  },
  'git-local/recovery': {
    reason: 'This removes what git keeps to undo mistakes.',
    alternative: 'Leave it alone: no story needs it.',
    matches: shapes(
      'git reflog expire|delete',
      'git gc|pack-refs --prune',
      'git prune|prune-packed !-n',
      'git repack --unpack-unreachable|-a',
      'git lfs prune',
      'git rerere clear',
    ),
  },
  'git-local/rewrite': {
    reason: 'This rewrites history that others, and the loop, rely on.',
    alternative: 'Add a commit on top; --amend of your own last commit is fine.',
    matches: anyOf(
      'git filter-branch|filter-repo|fast-import|update-ref',
      'git replace !-l|--list',
      'bfg *',
      'git rebase --root|-i|--interactive',
      'git symbolic-ref -d|--delete',
      'git symbolic-ref HEAD *',
      'git rebase --onto',
      'java -jar *bfg*',
      'git-filter-repo',
      forPrograms('git', (command) => command.assignments.some(({ name }) => name === 'GIT_SEQUENCE_EDITOR')),
    ),
  },
  'git-local/merge': {
    reason: 'Merging is up to the user, after a review.',
    alternative: 'Commit on your branch and call request_merge.',
    profiles: ['run'],
    matches: anyOf(mergesOwnWork, changesSharedBranch),
  },
  'git-local/worktrees-and-tags': {
    reason: 'This removes tags, work trees or submodules with what is in them.',
    alternative: 'Leave them; report what should go.',
    matches: shapes(
      'git tag -d|--delete|-f|--force',
      'git worktree remove|move',
      'git worktree prune !-n',
      'git submodule deinit -f|--force|--all',
      'git notes remove|prune',
      'git sparse-checkout set|init',
      'git update-index --index-info',
    ),
  },
  'git-local/skip-checks': {
    reason: "This bypasses the project's own checks.",
    alternative: 'Commit without it and fix what the checks report.',
    matches: anyOf(
      'git commit -n',
      'git commit|merge|push|am|rebase|cherry-pick|cz --no-verify|--no-gpg-sign',
      'cz|git-cz|gt|yarn --no-verify',
      'pre-commit|husky|lefthook|overcommit|simple-git-hooks uninstall',
      'overcommit --uninstall',
      skipsByVariable,
    ),
  },
};
