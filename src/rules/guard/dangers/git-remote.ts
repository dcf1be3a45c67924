import type { GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag, hasWord, operands, optionValue, optionValues, textsOf } from '../options.ts';
import { placeOfWord } from '../paths.ts';
import { namesIn } from '../tables.ts';
import { UNKNOWN } from '../words.ts';
import { gitCall, gitOperands, isSharedBranch, withoutGlobalOptions } from './matching/git.ts';
import { allOf, anyOf, forPrograms, isRehearsal, not, shapes } from './matching/shape.ts';

/** `refs/heads/x` that a refspec (`x`, `+x`, `a:x`, `:x`) changes on the remote. */
function destinationOf(refspec: string): string {
  return refspec.replace(/^\+/, '').split(':').at(-1) ?? '';
}

function mayBeShared(branch: string): boolean {
  return (
    isSharedBranch(branch) || branch === 'HEAD' || branch === '@' || branch.includes(UNKNOWN) || /[*?]/.test(branch)
  );
}

/** A push that replaces or removes commits that others may have built on. */
function forcesShared(command: SimpleCommand): boolean {
  const words = gitOperands(command, 'push') ?? sendPackRefs(command);
  if (words === null || isRehearsal(command)) return false;
  const refspecs = words.slice(1);
  if (hasFlag(command, 'mirror', 'prune')) return true;
  const everywhere = hasFlag(command, 'f', 'force', 'force-with-lease', 'd', 'delete');
  const replaced = refspecs.filter((refspec) => everywhere || /^[+:]./.test(refspec)).map(destinationOf);
  return (everywhere && refspecs.length === 0) || replaced.some(mayBeShared);
}

/** To a repository in the work tree or a temporary folder, as tests make them. */
const pushesHere: GuardTest = (command, context) => {
  const [target] = operands(gitCall(command, 'push') ?? { args: [] });
  if (target === undefined || !/^(file:\/\/|\.{0,2}\/|~\/)/.test(target.text)) return false;
  const place = placeOfWord({ ...target, text: target.text.replace(/^file:\/\//, '') }, command, context);
  return place === 'inside' || place === 'temp';
};

function sendPackRefs(command: SimpleCommand): readonly string[] | null {
  return gitOperands(command, 'send-pack') ?? gitOperands(command, 'http-push');
}

/** `gh api` with a method that changes something; fields without a method mean POST. */
const changesByApi = forPrograms('gh glab', (command) => {
  if (command.args[0]?.text !== 'api' || isGraphqlRead(command)) return false;
  const method = optionValue(command, 'X', 'method')?.text;
  return method === undefined
    ? hasFlag(command, 'f', 'F', 'field', 'raw-field', 'input')
    : !/^(get|head)$/i.test(method);
});

function isGraphqlRead(command: SimpleCommand): boolean {
  return command.args[1]?.text === 'graphql' && !hasWord(command, /\bmutation\b/);
}

const HOSTING_API =
  /^https:\/\/(api\.github\.com\/(repos|orgs|user|teams|gists|graphql)|[\w.-]{0,60}gitlab[\w.-]{0,60}\/api\/)/;

/** The same with an HTTP client; a question to GraphQL is posted, too. */
const changesHosting = forPrograms('curl wget http https xh', (command) => {
  const url = operands(command).find(({ text }) => HOSTING_API.test(text))?.text;
  if (url === undefined || (url.endsWith('/graphql') && !hasWord(command, /\bmutation\b/))) return false;
  const method =
    optionValue(command, 'X', 'request', 'method')?.text ??
    (/^(curl|wget)$/.test(command.name) ? '' : command.args[0]?.text);
  return /^(put|post|patch|delete)$/i.test(method ?? '');
});

export const gitRemote: GuardRules = {
  'git-remote/force-push': {
    reason: 'This overwrites or deletes history on a branch that others share.',
    alternative: 'Commit on top instead; call request_merge to have the work integrated.',
    matches: allOf(forPrograms('git', forcesShared), not(pushesHere)),
  },
  'git-remote/push': {
    reason: 'Nothing is pushed while the loop runs.',
    alternative: 'Commit, and call request_merge: the user pushes and opens the pull request.',
    profiles: ['run'],
    matches: allOf(
      not(pushesHere),
      shapes(
        'git push|send-pack|http-push|receive-pack !-n',
        'git subtree|lfs|svn|p4|annex push|dcommit|submit',
        'git annex sync',
        'jj git push',
        'hub|hg|sl|git-lfs|bzr|fossil push',
        'gt submit|ss',
        'gt stack submit',
        'git review|cvsexportcommit',
        'git town|machete|flow sync|ship|traverse',
        'git flow * publish|finish',
        'svn commit|ci',
        'arc land',
      ),
    ),
  },
  'git-remote/merge-request': {
    reason: 'Merging and publishing are left to the user.',
    alternative: 'Call request_merge and describe the change.',
    profiles: ['run'],
    matches: shapes(
      'gh pr merge|close|ready|create|reopen|review|lock|update-branch',
      'gh repo sync|fork|edit|rename|create',
      'gh workflow|run run|disable|enable|cancel|rerun',
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
  },
  'git-remote/destroy': {
    reason: 'This destroys or changes the hosted repository itself.',
    alternative: 'Leave the hosting alone; report what should change there.',
    matches: anyOf(
      'gh|glab repo|project delete|archive|transfer|deploy-key',
      'gh|glab release delete|delete-asset',
      'gh secret|ssh-key|gpg-key set|add|delete|remove',
      'glab variable|secret set|update|delete',
      'gh label|cache|codespace|ruleset|auth|gist|run delete',
      'gh gist edit',
      'hub delete',
      changesByApi,
      changesHosting,
    ),
  },
  'git-remote/remotes': {
    reason: 'This changes where the repository is fetched from or pushed to.',
    alternative: 'Use the existing remotes; clone other code into a separate folder.',
    profiles: ['run'],
    matches: shapes('git remote add|set-url|remove|rm|rename|set-head|set-branches', 'hub remote add|set-url'),
  },
};

/** Settings that make git run programs or contact another address, with the values that do neither. */
const SETTINGS: readonly { readonly key: RegExp; readonly harmless: RegExp }[] = [
  { key: /^(core\.hookspath|remote\..*\.(url|pushurl|push|mirror))$/i, harmless: /(?!)/ },
  { key: /^core\.fsmonitor$/i, harmless: /^(false|0|no|off|)$/ },
  { key: /^(core\.(editor|pager)|sequence\.editor|pager\.\w+)$/i, harmless: /^[\w.-]*( --?[\w-]+)*$/ },
  { key: /^gc\.(prune|reflog\w*)expire/i, harmless: /^(never|\d+\W?(days?|weeks?|months?).*)$/ },
  { key: /^alias\./i, harmless: /^[^!]*$/ },
  {
    key: /^(filter\..*\.(clean|smudge|process)|diff\..*\.(command|textconv)|diff\.external|merge\..*\.driver)$/i,
    harmless: /^$/,
  },
  {
    key: /^(core\.(sshcommand|gitproxy|askpass|alternaterefscommand|worktree)|gpg\..*program|gpg\.program)$/i,
    harmless: /^(ssh|)$/,
  },
  { key: /^(credential\..*helper|credential\.helper)$/i, harmless: /^(cache( .*)?|)$/ },
  {
    key: /^(include(if\..*)?\.path|init\.templatedir|interactive\.difffilter|uploadpack\.packobjectshook)$/i,
    harmless: /^$/,
  },
  {
    key: /^(url\..*\.(pushinsteadof|insteadof)|remote\..*\.(uploadpack|receivepack|proxy)|http\..*proxy|http\.proxy)$/i,
    harmless: /^$/,
  },
  {
    key: /^(protocol\.(ext\.)?allow|http\.(.*\.)?sslverify|receive\.deny.*|(difftool|mergetool|browser|man)\..*\.cmd)$/i,
    harmless: /^true$/,
  },
];

function isDangerous(key: string, value: string): boolean {
  return SETTINGS.some((setting) => setting.key.test(key) && !setting.harmless.test(value));
}

const READS = namesIn('get get-all get-regexp get-urlmatch l list get-color get-colorbool show-origin');

/** The key and value of a `git config` that changes something; null when it only reads. */
function changedSetting(command: SimpleCommand): { readonly key: string; readonly value: string } | null {
  const call = gitCall(command, 'config');
  if (call === null || hasFlag(call, ...READS)) return null;
  const words = textsOf(operands(call));
  const [verb = ''] = words;
  if (/^(get|list)$/.test(verb)) return null;
  const [key = '', value] = /^(set|unset|remove-section|rename-section|edit)$/.test(verb) ? words.slice(1) : words;
  // A section is removed with all its settings; of those, only these are dangerous to lose.
  const section = hasFlag(call, 'remove-section', 'rename-section') || /^(remove|rename)-section$/.test(verb);
  if (section) return { key: `${key}.${key.startsWith('remote.') ? 'url' : 'hooksPath'}`, value: '' };
  const removes = hasFlag(call, 'unset', 'unset-all', 'e', 'edit') || /^(unset|edit)$/.test(verb);
  return value === undefined && !removes ? null : { key, value: value ?? '' };
}

const setsDangerous = forPrograms('git', (command) => {
  const setting = changedSetting(command);
  return setting !== null && isDangerous(setting.key, setting.value);
});

/** `git -c key=value …` and `git clone -c key=value …`. */
const passesDangerous = forPrograms('git', (command) => {
  if (command.name !== 'git') return false;
  const before = command.args.length - withoutGlobalOptions(command).args.length;
  const passed = optionValues({ args: command.args.slice(0, before) }, 'c');
  const cloned = optionValues(gitCall(command, 'clone') ?? { args: [] }, 'c', 'config');
  return [...passed, ...cloned].some(({ text }) => {
    const [key = '', ...value] = text.split('=');
    return isDangerous(key, value.join('='));
  });
});

/** Personal settings for the committer's identity and trust: needed in fresh containers, harmless. */
const PERSONAL = /^(user\.(name|email)|safe\.directory|init\.defaultbranch|advice\..*|color\..*)$/i;

const setsForAll = forPrograms('git', (command) => {
  const setting = changedSetting(command);
  const call = gitCall(command, 'config');
  return call !== null && setting !== null && hasFlag(call, 'global', 'system') && !PERSONAL.test(setting.key);
});

export const gitConfig: GuardRules = {
  'git-config/programs': {
    reason: 'With this setting git runs other programs, or talks to another server, on every later call.',
    alternative: 'Call the program itself; leave hooks, filters, aliases and remotes as they are.',
    matches: anyOf(
      setsDangerous,
      passesDangerous,
      forPrograms('git', (command) => hasWord(command, /^ext::/)),
    ),
  },
  'git-config/global': {
    reason: "This changes the user's own git settings.",
    alternative: 'Set it for this repository only: git config KEY VALUE without --global.',
    profiles: ['run'],
    matches: setsForAll,
  },
};
