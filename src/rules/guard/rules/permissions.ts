import type { GuardCategory, GuardTest, SimpleCommand, Word } from '../api.ts';
import { hasFlag, operands } from '../flags.ts';
import type { Place } from '../paths.ts';
import { liesIn } from './matching/places.ts';
import { isRehearsal } from './matching/shape.ts';
import { allOf, anyOf, forPrograms } from './matching/tests.ts';

const FOREIGN: readonly Place[] = ['system', 'home-itself', 'home', 'outside', 'git-dir', 'temp-itself'];

/** Programs that change who may do what, and how many words come before the files. */
const CHANGERS: ReadonlyMap<string, { readonly skip: number; readonly values?: readonly string[] }> = new Map([
  ['chmod', { skip: 1, values: ['reference'] }],
  ['chown', { skip: 1, values: ['from', 'reference'] }],
  ['chgrp', { skip: 1, values: ['reference'] }],
  ['chattr', { skip: 1 }],
  ['chflags', { skip: 1 }],
  ['chcon', { skip: 1, values: ['t', 'u', 'r', 'l', 'type', 'user', 'role'] }],
  ['setfacl', { skip: 0, values: ['m', 'x', 'M', 'X', 'modify', 'remove'] }],
  ['icacls', { skip: 0 }],
  ['takeown', { skip: 0 }],
]);

/** The files whose permissions, owner or attributes a command changes. */
function changed(command: SimpleCommand): readonly Word[] {
  const changer = CHANGERS.get(command.name);
  if (changer === undefined || isRehearsal(command)) return [];
  const words = wordsOfChange(command, changer.values ?? []);
  return hasFlag(command, 'reference') ? words : words.slice(changer.skip);
}

/** `-w` and `+x` are modes, not options: a leading dash in `chmod -x file` must not shift the files. */
function wordsOfChange(command: SimpleCommand, values: readonly string[]): readonly Word[] {
  const args = command.args.map((word) => (/^-[rwxXstugoai]+$/.test(word.text) ? { ...word, text: 'mode' } : word));
  return operands({ args: command.name === 'setfacl' ? command.args : args }, values);
}

function changesIn(places: readonly Place[]): GuardTest {
  return forPrograms([...CHANGERS.keys()], (command, context) =>
    changed(command).some((word) => liesIn(word, places, command, context)),
  );
}

/** `777`, `0666`, `a+w`, `o=rwx`, `+w` for everybody. */
const OPEN_MODE = /^[0-7]{0,2}[0-7]?[0-7][2367]$|(^|,)[ug]*[oa][ugoa]*[+=][rxX]*w/;

/** `4755`, `u+s`, `+s`. */
const SET_ID_MODE = /^0*[2467][0-7]{3}$|(^|,)[ugoa]*[+=][rwxXt]*s/;

function modeOf(command: SimpleCommand): string {
  return operands(command)[0]?.text ?? '';
}

const isRecursive: GuardTest = (command) => hasFlag(command, 'R', 'recursive');

/** `chmod -R 777`, `chmod -R 000`. */
const opensTree = forPrograms(
  'chmod',
  (command, context, script) =>
    isRecursive(command, context, script) && (OPEN_MODE.test(modeOf(command)) || /^0*[0-3]00$/.test(modeOf(command))),
);

export const permissions: GuardCategory = {
  id: 'permissions',
  title: 'Permissions and ownership',
  rules: [
    {
      id: 'permissions/outside',
      reason: 'This changes permissions, owners or attributes outside the work tree.',
      alternative: 'Change only files inside the work tree, and only to what they need (chmod +x FILE).',
      matches: changesIn(FOREIGN),
      examples: {
        block: [
          'chmod -R 775 /',
          'chown -R me /usr/local',
          'chattr +i /etc/hosts',
          'setfacl -R -m u:x:rwx ~',
          'chmod 600 ../x',
        ],
        allow: ['chmod +x scripts/build.sh', 'chmod 644 /tmp/out.txt', 'chmod --help'],
      },
    },
    {
      id: 'permissions/protected',
      reason: 'This changes permissions of files that the loop and its person own.',
      alternative: 'Leave those files as they are.',
      profiles: ['run'],
      matches: changesIn(['protected']),
      examples: {
        block: ['chmod 000 .ralph-active', 'chmod -w .claude/settings.json', 'chattr +i .claude/settings.json'],
        allow: ['ls -l .ralph-active', 'chmod 755 scripts/run.sh', 'stat -c %a .claude/settings.json'],
      },
    },
    {
      id: 'permissions/world-writable-tree',
      reason: 'This makes a whole tree writable for everybody, or takes it from its owner.',
      alternative: 'Give single files the permission they need, e.g. chmod u+w FILE.',
      matches: anyOf(opensTree, allOf(isRecursive, changesIn(['root-itself']))),
      examples: {
        block: [
          'chmod -R 666 .',
          'chmod -R a+w src',
          'chown -R nobody .',
          'chmod -R 000 src',
          'chmod --recursive o+rwx lib',
        ],
        allow: ['chmod -R u+w src', 'chmod 755 bin/cli.js', 'chmod -R 755 dist'],
      },
    },
    {
      id: 'permissions/set-id',
      reason: "This lets a program run with its owner's rights.",
      alternative: 'Run the program as yourself; nothing in a build needs setuid.',
      matches: forPrograms('chmod', (command) => SET_ID_MODE.test(modeOf(command))),
      examples: {
        block: ['chmod u+s bin/tool', 'chmod 4755 bin/tool', 'chmod +s a.out'],
        allow: ['chmod 0755 bin/tool', 'chmod u+x bin/tool', 'chmod 1777 /tmp/shared-dir'],
      },
    },
  ],
};
