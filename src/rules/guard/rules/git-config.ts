import type { GuardCategory, SimpleCommand } from '../api.ts';
import { hasFlag, operands, optionValues } from '../flags.ts';
import { gitCall, withoutGlobalOptions } from './matching/git.ts';
import { anyOf, forPrograms } from './matching/tests.ts';

/** Settings by which git runs programs or goes elsewhere, with the values that do neither. */
const SETTINGS: readonly { readonly key: RegExp; readonly harmless: RegExp }[] = [
  { key: /^core\.hookspath$/i, harmless: /(?!)/ },
  { key: /^core\.fsmonitor$/i, harmless: /^(false|0|no|off|)$/ },
  { key: /^(core\.(editor|pager)|sequence\.editor|pager\.\w+)$/i, harmless: /^[\w.-]*( --?[\w-]+)*$/ },
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
    key: /^(url\..*\.(pushinsteadof|insteadof)|remote\..*\.(url|pushurl|uploadpack|receivepack|proxy)|http\..*proxy|http\.proxy)$/i,
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

const READS = [
  'get',
  'get-all',
  'get-regexp',
  'get-urlmatch',
  'l',
  'list',
  'get-color',
  'get-colorbool',
  'show-origin',
];
const VALUES = ['f', 'file', 'blob', 'type', 'default', 'comment'];

/** `key value` of a `git config` that changes something; null when it only reads. */
function changedSetting(command: SimpleCommand): { readonly key: string; readonly value: string } | null {
  const call = gitCall(command, 'config');
  if (call === null || hasFlag(call, ...READS)) return null;
  const words = operands(call, VALUES).map((word) => word.text);
  const [verb = ''] = words;
  if (/^(get|list)$/.test(verb)) return null;
  const [key = '', value] = /^(set|unset|remove-section|rename-section|edit)$/.test(verb) ? words.slice(1) : words;
  // A section goes with all that it says; of what is dangerous to lose, only this is in one.
  const section = hasFlag(call, 'remove-section', 'rename-section') || /^(remove|rename)-section$/.test(verb);
  if (section) return { key: `${key}.hooksPath`, value: '' };
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

/** Personal settings that say who commits and what is trusted: needed in fresh containers, harmless. */
const PERSONAL = /^(user\.(name|email)|safe\.directory|init\.defaultbranch|advice\..*|color\..*)$/i;

const setsForAll = forPrograms('git', (command) => {
  const setting = changedSetting(command);
  const call = gitCall(command, 'config');
  return call !== null && setting !== null && hasFlag(call, 'global', 'system') && !PERSONAL.test(setting.key);
});

export const gitConfig: GuardCategory = {
  id: 'git-config',
  title: 'Settings by which git runs other programs',
  rules: [
    {
      id: 'git-config/programs',
      reason: 'With this setting git runs other programs, or talks to another server, on every later call.',
      alternative: 'Call the program itself; leave hooks, filters, aliases and remotes as they are.',
      matches: anyOf(setsDangerous, passesDangerous),
      examples: {
        block: [
          'git config core.hooksPath /tmp/hooks',
          'git config core.fsmonitor "touch x"',
          'git config alias.st "!sh x.sh"',

          'git -c core.hooksPath=/dev/null commit -m x',
          'git config --unset core.hooksPath',
          'git config set core.sshCommand "sh -c x"',
        ],
        allow: [
          'git config core.autocrlf input',
          'git config alias.st status',
          'git -c core.pager=cat log',
          'git config --get core.hooksPath',
        ],
      },
    },
    {
      id: 'git-config/global',
      reason: "This changes the person's own git settings.",
      alternative: 'Set it for this repository only: git config KEY VALUE without --global.',
      profiles: ['run'],
      matches: setsForAll,
      examples: {
        block: [
          'git config --global commit.gpgsign false',
          'git config --global --unset user.signingkey',
          'git config --system gc.auto 0',
        ],
        allow: ['git config user.name Loop', 'git config --global --get user.name', 'git config --global --list'],
      },
    },
  ],
};
