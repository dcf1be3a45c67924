import type { GuardContext, GuardRules, GuardTest, SimpleCommand, Word } from '../api.ts';
import { hasFlag, operands, optionValues } from '../options.ts';
import { holdsOtherTrees, isBranchOfOther, isInOtherTree, isStreamRoot, normalPath, pathOf } from '../paths.ts';
import { namesIn } from '../tables.ts';
import { changed } from './files.ts';
import { deletions, movedAway, touched } from './matching/changes.ts';
import { gitCall, gitOperands, withoutGlobalOptions } from './matching/git.ts';
import { anyOf, forPrograms, isRehearsal } from './matching/shape.ts';

function isOthers(word: Word, command: SimpleCommand, context: GuardContext): boolean {
  const path = pathOf(word, command, context);
  return path !== null && isInOtherTree(path, context.root);
}

/** Whether the command writes, moves, deletes or links files in another work tree, or changes their permissions. */
const changesFiles: GuardTest = (command, context) => {
  const gone = [...deletions(command).map(({ target }) => target), ...movedAway(command)];
  if ([...touched(command), ...otherTargets(command)].some((word) => isOthers(word, command, context))) return true;
  return gone.some((word) => {
    const path = pathOf(word, command, context);
    return path !== null && holdsOtherTrees(path, context.root);
  });
};

/** The files whose permissions change, and the folders of new repositories. */
function otherTargets(command: SimpleCommand): readonly Word[] {
  const cloned = operands(gitCall(command, 'clone') ?? NOTHING).slice(1);
  return [...changed(command), ...cloned, ...operands(gitCall(command, 'init') ?? NOTHING)];
}

const NOTHING = { args: [] } as const;

/** Options that set a program's folder: make, git, npm, pnpm, yarn, cargo, env, ralph. */
const FOLDER_OPTIONS = namesIn(
  'C prefix cwd dir directory manifest-path project-dir git-dir work-tree chdir separate-git-dir',
);
const FOLDER_VARIABLE = /^(GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_COMMON_DIR|RALPH_ROOT)$/;

/**
 * Programs that only read, and programs that start others, which are judged separately. Anything they still write is in
 * `writes`.
 */
const LOOKS = new Set(
  namesIn(`cd pushd popd dirs pwd ls cat tac head tail less more bat grep egrep fgrep rg ag ack find fd tree wc nl od xxd
  hexdump strings diff cmp comm stat file du df realpath readlink basename dirname echo printf test [ [[ true
  false : exit return read sort uniq cut tr awk gawk sed jq yq column paste fold md5sum sha1sum sha256sum b2sum
  cksum date sleep which type cp mv ln link install rsync tar dd tee touch mkdir rmdir rm env timeout nohup nice
  time command xargs eval sudo set export local declare unset`),
);

const GIT_LOOKS =
  /^(status|log|diff|show|ls-files|ls-tree|cat-file|rev-parse|rev-list|blame|grep|shortlog|describe|merge-base|for-each-ref|show-ref|name-rev|reflog|whatchanged|cherry|range-diff|diff-tree|diff-index|diff-files|count-objects|help|version)$/;

function onlyLooks(command: SimpleCommand): boolean {
  if (command.name === 'git') {
    const [verb, ...rest] = withoutGlobalOptions(command).args;
    if (verb === undefined || GIT_LOOKS.test(verb.text) || isRehearsal(command)) return true;
    // `branch`, `worktree list`, `stash list`, `remote -v`
    return (
      /^(branch|tag|worktree|stash|remote)$/.test(verb.text) &&
      rest.every(({ text }) => /^(-\w+|--\w[\w-]*|list)$/.test(text)) &&
      !hasFlag({ args: rest }, 'd', 'D', 'm', 'M', 'f')
    );
  }
  if (/^(ba|z|k|da)?sh$/.test(command.name)) return hasFlag(command, 'c');
  return command.name === '' || LOOKS.has(command.name);
}

/** Whether the command works in another tree: it runs there, or an option or variable names it. */
const worksThere: GuardTest = (command, context) => {
  if (variablesOf(command).some((word) => isOthers(word, command, context))) return true;
  if (onlyLooks(command)) return false;
  if (command.cwd !== null && isInOtherTree(normalPath(command.cwd), context.root)) return true;
  return optionValues(command, ...FOLDER_OPTIONS).some((word) => isOthers(word, command, context));
};

/** Values of variables that point git, and us, to another work tree. */
function variablesOf(command: SimpleCommand): readonly Word[] {
  const assigned = command.assignments.filter(({ name }) => FOLDER_VARIABLE.test(name)).map(({ value }) => value);
  const exported = command.args.flatMap((word) => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(word.text) ?? [];
    return FOLDER_VARIABLE.test(name) ? [{ ...word, text: value }] : [];
  });
  return [...assigned, ...exported];
}

/** Whether git would move, rename or remove another stream's branch, or check it out into a work tree. */
const takesBranch = forPrograms('git', (command, { root }) => {
  if (isRehearsal(command)) return false;
  const isOther = (word: string) => isBranchOfOther(word, root);
  const branch = gitCall(command, 'branch');
  if (branch !== null) {
    const changes = hasFlag(branch, 'd', 'D', 'm', 'M', 'f', 'C', 'delete', 'move', 'force');
    return changes && operands(branch).some(({ text }) => isOther(text));
  }
  const worktree = gitOperands(command, 'worktree');
  if (worktree !== null) {
    const made = optionValues(gitCall(command, 'worktree') ?? NOTHING, 'b', 'B');
    return worktree[0] === 'add' && [...worktree, ...made.map(({ text }) => text)].some(isOther);
  }
  const call = gitCall(command, 'checkout') ?? gitCall(command, 'switch');
  if (call !== null) {
    if (optionValues(call, 'B', 'C', 'force-create').some(({ text }) => isOther(text))) return true;
    const [only, ...more] = operands(call);
    const switches = more.length === 0 && !call.args.some(({ text }) => text === '--');
    return isStreamRoot(root) && switches && only !== undefined && isOther(only.text);
  }
  return (gitOperands(command, 'fetch') ?? []).some((refspec) => isOther(/:(.+)$/.exec(refspec)?.[1] ?? ''));
});

/**
 * Whether git would put commits of another stream's branch onto the agent's own, which amounts to merging. Taking
 * single files from there only reads.
 */
const takesWork = forPrograms('git', (command, { root }, script) => {
  const named = (verb: string) => (gitOperands(command, verb) ?? []).some((word) => namesBranchOfOther(word, root));
  if (named('cherry-pick') || named('rebase')) return true;
  if (named('format-patch')) return script.some((other) => gitCall(other, 'am') !== null);
  // In the project itself this may be the remote copy of the agent's own branch.
  if (!isStreamRoot(root)) return false;
  const whole = !(gitCall(command, 'reset') ?? NOTHING).args.some(({ text }) => text === '--');
  return named('pull') || (whole && named('reset'));
});

/** Inside a revision or a range: `main..origin/ralph/prd-2~1`. */
function namesBranchOfOther(revision: string, root: string): boolean {
  const names = revision.split(/\.{2,3}/).map((name) => name.replace(/[~^@:].*$/, ''));
  return names.some((name) => isBranchOfOther(name.replace(/^(refs\/remotes\/)?[^/]+\/(?=ralph\/)/, ''), root));
}

/** Whether git would lock, unlock or repair another work tree; removing and moving are refused to every agent. */
const maintainsWorktrees = forPrograms('git', (command) =>
  /^(lock|unlock|repair)$/.test(gitOperands(command, 'worktree')?.[0] ?? ''),
);

export const streams: GuardRules = {
  'streams/files': {
    reason: 'These files are in the work tree of another stream, or of the project itself.',
    alternative:
      'Work in your own work tree; reading others is fine. Use report_blocker to say what another stream should do.',
    profiles: ['run'],
    matches: changesFiles,
  },
  'streams/elsewhere': {
    reason: 'This works in the work tree of another stream, or of the project itself.',
    alternative: 'Work in your own work tree; looking at others is fine: cat, grep, git log, git diff.',
    profiles: ['run'],
    matches: worksThere,
  },
  'streams/branches': {
    reason: 'This takes, moves or removes the branch, the commits or the work tree of another stream.',
    alternative: 'Stay on your own branch; call request_merge when the work is ready to merge.',
    profiles: ['run'],
    matches: anyOf(takesBranch, takesWork, maintainsWorktrees),
  },
};
