import type { GuardCategory, SimpleCommand } from '../api.ts';
import { hasFlag, optionValue } from '../flags.ts';
import { UNKNOWN } from '../shell/text.ts';
import { gitOperands, isSharedBranch } from './matching/git.ts';
import { isRehearsal, shapes } from './matching/shape.ts';
import { anyOf, forPrograms } from './matching/tests.ts';

/** `refs/heads/x` that a refspec (`x`, `+x`, `a:x`, `:x`) changes on the remote side. */
function destinationOf(refspec: string): string {
  return refspec.replace(/^\+/, '').split(':').at(-1) ?? '';
}

function mayBeShared(branch: string): boolean {
  return (
    isSharedBranch(branch) || branch === 'HEAD' || branch === '@' || branch.includes(UNKNOWN) || /[*?]/.test(branch)
  );
}

/** A push that replaces or removes what others may have based their work on. */
function forcesShared(command: SimpleCommand): boolean {
  const words = gitOperands(command, 'push', ['o', 'push-option', 'receive-pack', 'repo']) ?? sendPackRefs(command);
  if (words === null || isRehearsal(command)) return false;
  const refspecs = words.slice(1);
  if (hasFlag(command, 'mirror', 'prune')) return true;
  const everywhere = hasFlag(command, 'f', 'force', 'force-with-lease', 'd', 'delete');
  const replaced = refspecs.filter((refspec) => everywhere || /^[+:]./.test(refspec)).map(destinationOf);
  return (everywhere && refspecs.length === 0) || replaced.some(mayBeShared);
}

function sendPackRefs(command: SimpleCommand): readonly string[] | null {
  return gitOperands(command, 'send-pack') ?? gitOperands(command, 'http-push');
}

/** `gh api` with a method that changes something; with fields and no method, that is POST. */
const changesByApi = forPrograms('gh glab', (command) => {
  if (command.args[0]?.text !== 'api' || isGraphqlRead(command)) return false;
  const method = optionValue(command, 'X', 'method')?.text;
  return method === undefined
    ? hasFlag(command, 'f', 'F', 'field', 'raw-field', 'input')
    : !/^(get|head)$/i.test(method);
});

function isGraphqlRead(command: SimpleCommand): boolean {
  return command.args[1]?.text === 'graphql' && !command.args.some(({ text }) => /\bmutation\b/.test(text));
}

export const gitRemote: GuardCategory = {
  id: 'git-remote',
  title: 'Pushing, merging and remote repositories',
  rules: [
    {
      id: 'git-remote/force-push',
      reason: 'This overwrites or deletes history on a branch that others share.',
      alternative: 'Commit on top instead; call request_merge to have the work integrated.',
      matches: forPrograms('git', forcesShared),
      examples: {
        block: [
          'git push --force origin main',
          'git push -f',
          'git push origin +master',
          'git push origin :main',

          'git push --mirror backup',
          'git push --force-with-lease origin HEAD:main',
          'git push origin --delete develop',
        ],
        allow: ['git fetch --force', 'git push --force --dry-run upstream main', 'npx eslint-config --force'],
      },
    },
    {
      id: 'git-remote/push',
      reason: 'Nothing is pushed while the loop runs.',
      alternative: 'Commit, and call request_merge: the person pushes and opens the pull request.',
      profiles: ['run'],
      matches: shapes(
        'git push|send-pack|http-push|receive-pack !-n',
        'git subtree|lfs push',
        'git svn dcommit',
        'git p4 submit',
        'git annex sync|push',
        'hub|hg|sl push',
        'jj git push',
        'gt submit|ss',
        'svn commit|ci',
        'git-lfs push',
      ),
      examples: {
        block: [
          'git push --quiet',
          'git push -u origin feature/x',
          'git -C . push origin HEAD',
          'git send-pack origin main',
          'jj git push',
        ],
        allow: ['git push --help', 'git log origin/main..HEAD', 'git stash push -m wip', 'git fetch origin'],
      },
    },
    {
      id: 'git-remote/merge-request',
      reason: 'Merging and publishing is for the person.',
      alternative: 'Call request_merge and describe the change.',
      profiles: ['run'],
      matches: shapes(
        'gh pr merge|close|ready|create|reopen|review|lock|update-branch',
        'gh repo sync|fork|edit|rename|create',

        'gh workflow run|disable|enable',
        'gh run cancel|rerun',
        'gh variable set|delete',
        'gh issue delete|transfer|close',

        'glab mr merge|close|create|approve|rebase',
        'glab ci run|trigger|cancel|delete',
        'hub merge|pull-request|sync',

        'gh auth login|logout|refresh|setup-git|switch',
        'gh config|alias set',
        'gh extension install',
        'tea pr|pulls merge',
        'az repos pr update|create',
        'gt merge',
      ),
      examples: {
        block: ['gh pr merge 12 --squash', 'gh workflow run deploy.yml', 'glab mr merge 3', 'gh -R a/b pr merge 1'],
        allow: ['gh pr view 12', 'gh pr list', 'gh run list --limit 3', 'gh pr diff 12'],
      },
    },
    {
      id: 'git-remote/destroy',
      reason: 'This destroys or changes the hosted repository itself.',
      alternative: 'Leave the hosting alone; report what should change there.',
      matches: anyOf(
        shapes(
          'gh repo delete|archive|transfer|deploy-key',
          'gh release delete|delete-asset',
          'gh secret|ssh-key|gpg-key set|add|delete|remove',

          'glab repo|project delete|archive|transfer',
          'glab release delete',
          'gh label|cache|project|codespace delete',
          'gh ruleset|auth delete',
          'hub delete',
          'gh gist delete|edit',
          'glab variable|secret set|update|delete',
        ),
        changesByApi,
      ),
      examples: {
        block: [
          'gh repo delete a/b --yes',
          'gh api -X DELETE repos/a/b',
          'gh secret set TOKEN',
          'gh api repos/a/b/merges -f base=main',
          'gh api --method=PUT repos/a/b/pulls/1/merge',
        ],
        allow: [
          'gh repo view',
          'gh api repos/a/b/pulls',
          'gh release list',
          'gh api graphql -f query="query { viewer { login } }"',
        ],
      },
    },
    {
      id: 'git-remote/remotes',
      reason: 'This changes where the repository is fetched from or pushed to.',
      alternative: 'Use the remotes that are there; clone other code into a folder of its own.',
      profiles: ['run'],
      matches: shapes('git remote add|set-url|remove|rm|rename|set-head|set-branches', 'hub remote add|set-url'),
      examples: {
        block: [
          'git remote set-url origin https://example.org/x.git',
          'git remote add evil git@example.org:x',
          'git remote rm origin',
        ],
        allow: ['git remote -v', 'git remote show origin', 'git remote get-url origin'],
      },
    },
  ],
};
