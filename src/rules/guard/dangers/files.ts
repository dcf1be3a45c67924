import type { GuardRules, GuardTest, SimpleCommand, Word } from '../api.ts';
import { hasFlag, operands } from '../options.ts';
import { holdsProtected, liesIn, type Place } from '../paths.ts';
import { UNMOUNTED } from '../shell/frame.ts';
import { table } from '../tables.ts';
import { UNKNOWN } from '../words.ts';
import { type Deletion, deletions, movedAway, REMOVERS, writes } from './matching/changes.ts';
import { allOf, anyOf, forPrograms, isRehearsal } from './matching/shape.ts';

const FOREIGN: readonly Place[] = ['home', 'outside'];

/** Whether the command deletes something in one of these places that `concerns` accepts. */
function deletesIn(places: readonly Place[], concerns: (deletion: Deletion) => boolean = () => true): GuardTest {
  return forPrograms(
    REMOVERS,
    (command, context) =>
      !command.via.includes(UNMOUNTED) &&
      deletions(command).some((deletion) => concerns(deletion) && liesIn(deletion.target, places, command, context)),
  );
}

/** `$DIR/`, `$DIR/*`, `$DIR/..`: the root of the file system when the variable is empty. */
function isRootWhenEmpty({ target, recursive }: Deletion): boolean {
  return recursive && new RegExp(`^${UNKNOWN}+/(\\*|\\.\\*|\\.|(\\.\\./?)+\\*?)?$`).test(target.text);
}

export const deletion: GuardRules = {
  'deletion/system': {
    reason: 'This deletes files of the operating system.',
    alternative: 'Delete only inside the work tree, by the exact path.',
    matches: deletesIn(['system']),
  },
  'deletion/home': {
    reason: 'This deletes the home folder.',
    alternative: 'Delete only inside the work tree, by the exact path.',
    matches: deletesIn(['home-itself']),
  },
  'deletion/outside': {
    reason: 'This deletes a folder outside the work tree.',
    alternative: 'Delete only inside the work tree; say in your report what else should go.',
    matches: deletesIn(FOREIGN, ({ recursive }) => recursive),
  },
  'deletion/outside-file': {
    reason: 'This deletes a file outside the work tree.',
    alternative: 'Delete only inside the work tree; say in your report what else should go.',
    profiles: ['run'],
    matches: deletesIn(FOREIGN),
  },
  'deletion/work-tree': {
    reason: 'This deletes the whole work tree, uncommitted work included.',
    alternative: 'Delete the files you mean by name; to start over, end the iteration and the loop rolls back.',
    matches: deletesIn(['root-itself']),
  },
  'deletion/repository': {
    reason: "This deletes the repository's history or its internals.",
    alternative: 'Leave .git alone; report a stale lock or a broken index with report_blocker.',
    matches: deletesIn(['git-dir']),
  },
  'deletion/temporary-folder': {
    reason: 'This empties the folder for temporary files, which other programs use too.',
    alternative: 'Delete the temporary files you made, by name.',
    matches: deletesIn(['temp-itself']),
  },
  'deletion/holds-protected': {
    reason: 'This deletes a folder with files that belong to the loop or its user.',
    alternative: 'Delete the files you mean by name.',
    profiles: ['run'],
    matches: forPrograms(REMOVERS, (command, context) =>
      deletions(command).some(
        ({ target, recursive }) => (recursive || target.text.endsWith('*')) && holdsProtected(target, command, context),
      ),
    ),
  },
  'deletion/empty-variable': {
    reason: 'This deletes the root of the file system if the variable is empty.',
    alternative: 'Write the path out, or test the variable first: test -n "$VAR".',
    matches: forPrograms(REMOVERS, (command) => deletions(command).some(isRootWhenEmpty)),
  },
};

function writesIn(...places: readonly Place[]): GuardTest {
  return (command, context) => writes(command).some((word) => liesIn(word, places, command, context));
}

function movesAwayFrom(...places: readonly Place[]): GuardTest {
  return (command, context) => movedAway(command).some((word) => liesIn(word, places, command, context));
}

export const overwriting: GuardRules = {
  'overwriting/system': {
    reason: 'This writes into files or folders of the operating system.',
    alternative: 'Write inside the work tree or the temporary folder; describe needed system changes in your report.',
    matches: writesIn('system'),
  },
  'overwriting/outside': {
    reason: 'This writes outside the work tree.',
    alternative: 'Write inside the work tree or the temporary folder.',
    profiles: ['run'],
    matches: writesIn('home', 'home-itself', 'outside'),
  },
  'overwriting/moved-away': {
    reason: 'This moves a system folder, the home folder, the work tree or its history away.',
    alternative: 'Move only files and folders inside the work tree.',
    matches: movesAwayFrom('system', 'home-itself', 'root-itself', 'git-dir'),
  },
  'overwriting/moved-from-outside': {
    reason: 'This moves files that are outside the work tree.',
    alternative: 'Copy them instead.',
    profiles: ['run'],
    matches: movesAwayFrom('home', 'outside'),
  },
  'overwriting/repository': {
    reason: "This writes into the repository's internals.",
    alternative: 'Use ordinary git commands: add, commit, log, diff.',
    matches: writesIn('git-dir'),
  },
};

const NOT_ONES_OWN: readonly Place[] = ['system', 'home-itself', 'home', 'outside', 'git-dir', 'temp-itself'];

/** Programs that change permissions, and the number of words before the files. */
const CHANGERS = table([
  ['chmod chgrp chown chattr chflags chcon', 1],
  ['setfacl icacls takeown', 0],
]);

/** The files whose permissions, owner or attributes a command changes. */
export function changed(command: SimpleCommand): readonly Word[] {
  const skip = CHANGERS.get(command.name);
  if (skip === undefined || isRehearsal(command)) return [];
  const words = wordsOfChange(command);
  return hasFlag(command, 'reference') ? words : words.slice(skip);
}

/** `-w` and `+x` are modes, not options: the leading dash in `chmod -x file` must not shift the files. */
function wordsOfChange(command: SimpleCommand): readonly Word[] {
  const args = command.args.map((word) => (/^-[rwxXstugoai]+$/.test(word.text) ? { ...word, text: 'mode' } : word));
  return operands(command.name === 'setfacl' ? command : { ...command, args });
}

function changesIn(places: readonly Place[]): GuardTest {
  return forPrograms([...CHANGERS.keys()], (command, context) =>
    changed(command).some((word) => liesIn(word, places, command, context)),
  );
}

/** `777`, `0666`, `a+w`, `o=rwx`, `+w` for all users. */
const OPEN_MODE = /^[0-7]{0,2}[0-7]?[0-7][2367]$|(^|,)[ug]*[oa][ugoa]*[+=][rxX]*w/;

/** `4755`, `u+s`, `+s`. */
const SET_ID_MODE = /^0*[2467][0-7]{3}$|(^|,)[ugoa]*[+=][rwxXt]*s/;

function modeOf(command: SimpleCommand): string {
  return operands(command)[0]?.text ?? '';
}

const isRecursive: GuardTest = (command) => hasFlag(command, 'R', 'recursive');

const isForMany: GuardTest = (command) => command.via.some((via) => /^(find|fd|xargs|parallel)\b/.test(via));

/** `chmod -R 777`, `chmod -R 000`. */
const opensTree = forPrograms(
  'chmod',
  (command, context, script) =>
    (isRecursive(command, context, script) || isForMany(command, context, script)) &&
    (OPEN_MODE.test(modeOf(command)) || /^0*[0-3]00$/.test(modeOf(command))),
);

export const permissions: GuardRules = {
  'permissions/outside': {
    reason: 'This changes permissions, owners or attributes outside the work tree.',
    alternative: 'Change only files inside the work tree, and only to what they need (chmod +x FILE).',
    matches: changesIn(NOT_ONES_OWN),
  },
  'permissions/protected': {
    reason: 'This changes permissions of files that belong to the loop or its user.',
    alternative: 'Leave those files as they are.',
    profiles: ['run'],
    matches: changesIn(['protected']),
  },
  'permissions/world-writable-tree': {
    reason: 'This makes a whole tree writable for everyone, or changes its owner.',
    alternative: 'Give single files the permission they need, e.g. chmod u+w FILE.',
    matches: anyOf(opensTree, allOf(isRecursive, changesIn(['root-itself']))),
  },
  'permissions/set-id': {
    reason: "This lets a program run with its owner's rights.",
    alternative: 'Run the program as yourself; nothing in a build needs setuid.',
    matches: forPrograms('chmod', (command) => SET_ID_MODE.test(modeOf(command))),
  },
};
