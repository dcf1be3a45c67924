import type { CheckResult } from '../../contracts/index.ts';
import { counted, oneLine, safeLines, shellWord } from '../../rules/text/index.ts';
import type { Merge } from '../../streams/index.ts';

const TAIL_LINES = 15;
const MOST_PATHS = 30;

/** Up to this many files a command names one by one. */
const MOST_NAMED = 8;

/** The result of a merge, for people; `runChecks` as requested. Pure. */
export function mergeLines({ outcome, ...merge }: Merge, runChecks = true): readonly string[] {
  const what = `${oneLine(merge.branch)} into ${oneLine(merge.into)}`;
  const commits = counted(merge.commits, 'commit');
  switch (outcome.kind) {
    case 'merged':
      return [
        `merged ${what}: ${commits}, ${WORDS[outcome.how]} (${outcome.commit.slice(0, 12)})`,
        outcome.checks.length === 0
          ? runChecks
            ? 'warning: no check was run on it: name some in verifyCommands of ralph.config.json'
            : 'no check was run on it (--no-checks)'
          : `checked before, on the merged tree: ${outcome.checks.map(checkedCommand).join(', ')}`,
        merge.worktree
          ? `next: git push; ralph stream remove ${nameOf(merge.stream)} when you no longer need its worktree`
          : 'next: git push',
      ];
    case 'would-merge':
      return [`would merge ${what}: ${commits}, ${WORDS[outcome.how]}, no conflict; the checks come first`];
    case 'already':
      return [`${oneLine(merge.into)} already contains ${oneLine(merge.branch)}: nothing to merge`];
    case 'conflict':
      return [
        `not merged: ${what} has conflicts in ${counted(outcome.paths.length, 'file')}`,
        ...listed(outcome.paths),
        ...(outcome.backlog ? backlogLines(merge) : []),
        'Nothing was changed. By hand:',
        ...(outcome.root === null
          ? [`  git switch ${shellWord(oneLine(merge.branch))} && git merge ${shellWord(oneLine(merge.into))}`]
          : [`  cd ${shellWord(oneLine(outcome.root))} && git merge ${shellWord(oneLine(merge.into))}`]),
        `  fix the files there, git add them, git commit${outcome.root === null ? `, git switch ${shellWord(oneLine(merge.into))}` : ''}`,
        `  then: ${again(merge)}`,
      ];
    case 'red':
      return [
        `not merged: ${what} would make ${counted(outcome.checks.filter(({ ok }) => !ok).length, 'check')} fail`,
        ...outcome.checks.filter(({ ok }) => !ok).flatMap((check) => redLines(check, outcome.redBefore)),
        'Nothing was changed. Fix it on the branch of the stream, or merge anyway: --no-checks',
      ];
    case 'in-the-way':
      return [
        `not merged: uncommitted files in ${oneLine(outcome.root)} are in the way of ${what}`,
        ...listed(outcome.paths),
        'Nothing was changed. Stash them, merge, then see which of your changes are still missing:',
        ...asideLines(outcome, merge),
      ];
  }
}

/** A person edited the backlog that a stream was working on: only they know what both sides meant. */
function backlogLines({ branch, into }: Pick<Merge, 'branch' | 'into'>): readonly string[] {
  return [
    `The backlog itself was changed on ${oneLine(into)} while its stream worked: keep what ${oneLine(branch)} says of`,
    'stories that it did (passes, reviewStatus) and of progress, and add what you changed.',
  ];
}

function asideLines(
  { root, paths }: { readonly root: string; readonly paths: readonly string[] },
  merge: Pick<Merge, 'stream' | 'worktree'>,
): readonly string[] {
  const git = `git -C ${shellWord(oneLine(root))} stash`;
  // Ignored files, too, when they are named.
  const what = paths.length > MOST_NAMED ? '-u' : `-a -- ${paths.map((path) => shellWord(oneLine(path))).join(' ')}`;
  return [`  ${git} push ${what}`, `  ${again(merge)}`, `  ${git} show -p --include-untracked`];
}

const WORDS = { 'fast-forward': 'as a fast-forward', 'merge-commit': 'as a merge commit' } as const;

function redLines({ command, exitCode, timedOut, tail }: CheckResult, redBefore: readonly string[]): readonly string[] {
  const end = timedOut ? 'took longer than checks.timeout' : `exit ${exitCode ?? '-'}`;
  const also = redBefore.includes(command) ? '; it also fails without the merge' : '';
  const lines = safeLines(tail).slice(-TAIL_LINES);
  return [`  ${oneLine(command)} (${end}${also})`, ...lines.map((line) => `    ${line}`)];
}

function listed(paths: readonly string[]): readonly string[] {
  const shown = paths.slice(0, MOST_PATHS).map((path) => `  ${oneLine(path)}`);
  return paths.length > MOST_PATHS ? [...shown, `  and ${paths.length - MOST_PATHS} more`] : shown;
}

/** The command as typed: a stream with neither number nor work tree is found without a name. */
function again({ stream, worktree }: Pick<Merge, 'stream' | 'worktree'>): string {
  return worktree || /^PRD-\d+$/.test(stream) ? `ralph stream merge ${nameOf(stream)}` : 'ralph stream merge';
}

/** As typed: `3` for `PRD-3`. */
function nameOf(stream: string): string {
  return shellWord(oneLine(/^PRD-(\d+)$/.exec(stream)?.[1] ?? stream));
}

function checkedCommand({ command, known }: CheckResult): string {
  return oneLine(command) + (known ? ' (known: the same tree was checked before)' : '');
}
