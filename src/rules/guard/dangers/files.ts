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
    blocks: ['rm -rf /', 'rm -rf /*', 'rm -f /etc/hosts', 'find / -xdev -delete', 'shred -u /var/log/syslog'],
    allows: ['rm -rf build', 'find . -name "*.log" -delete', 'rm --help'],
  },
  'deletion/home': {
    reason: 'This deletes the home folder.',
    alternative: 'Delete only inside the work tree, by the exact path.',
    matches: deletesIn(['home-itself']),
    blocks: ['rm -rf ~', 'rm -r "$HOME"/*', 'find ~ -type d -delete', 'rsync -a --delete empty/ ~/', 'mv ~ /dev/null'],
    allows: ['rm -rf ./home', 'find ~ -maxdepth 1 -name "*.md"', 'rsync -an --delete empty/ ~/'],
  },
  'deletion/outside': {
    reason: 'This deletes a folder outside the work tree.',
    alternative: 'Delete only inside the work tree; say in your report what else should go.',
    matches: deletesIn(FOREIGN, ({ recursive }) => recursive),
    blocks: ['rm -rf ../', 'rm -rf ../other-project', 'rm -r ~/.cache', 'cd .. && rm -rf *', 'git rm -r ../lib'],
    allows: ['rm -rf coverage', 'cd apps/site && rm -rf out', 'rm -rf src/../build'],
  },
  'deletion/outside-file': {
    reason: 'This deletes a file outside the work tree.',
    alternative: 'Delete only inside the work tree; say in your report what else should go.',
    profiles: ['run'],
    matches: deletesIn(FOREIGN),
    blocks: ['rm ~/notes.txt', 'unlink ../plan.md', 'shred ~/.netrc'],
    allows: ['rm notes.txt', 'unlink src/old-link', 'rm -f /tmp/scratch.txt'],
  },
  'deletion/work-tree': {
    reason: 'This deletes the whole work tree, uncommitted work included.',
    alternative: 'Delete the files you mean by name; to start afresh, end the iteration and the loop rolls back.',
    matches: deletesIn(['root-itself']),
    blocks: ['rm -rf .', 'rm -rf *', 'rm -rf "$PWD"', 'find . -delete', 'find . -type f -exec rm {} +', 'git rm -rf .'],
    allows: ['rm -rf dist/*', 'find . -name "*.tmp" -delete', 'git rm -r --cached .'],
  },
  'deletion/repository': {
    reason: "This deletes the repository's history or its internals.",
    alternative: 'Leave .git alone; a stale lock or a broken index is a case for report_blocker.',
    matches: deletesIn(['git-dir']),
    blocks: ['rm -r .git', 'rm -f .git/index', 'find .git -name "*.pack" -delete', 'rm -rf ./src/../.git/objects'],
    allows: ['rm -f .gitignore', 'ls .git', 'rm -rf vendor/lib/.gitkeep'],
  },
  'deletion/temporary-folder': {
    reason: 'This empties the folder for temporary files, which other programs use too.',
    alternative: 'Delete the temporary files you made, by name.',
    matches: deletesIn(['temp-itself']),
    blocks: ['rm -rf /tmp', 'rm -rf /tmp/*', 'find /tmp -type f -delete'],
    allows: ['rm -rf /tmp/build-42', 'find /tmp -name "build-*" -delete', 'ls /tmp'],
  },
  'deletion/holds-protected': {
    reason: 'This deletes a folder with files that the loop and its person own.',
    alternative: 'Delete the files you mean by name.',
    profiles: ['run'],
    matches: forPrograms(REMOVERS, (command, context) =>
      deletions(command).some(
        ({ target, recursive }) => (recursive || target.text.endsWith('*')) && holdsProtected(target, command, context),
      ),
    ),
    blocks: ['rm -rf .claude', 'rm -rf .ralph', 'find .ralph -type f -delete'],
    allows: ['rm -rf .cache', 'ls .claude', 'rm -rf src/.claude-notes'],
  },
  'deletion/empty-variable': {
    reason: 'This deletes the root of the file system if the variable is empty.',
    alternative: 'Write the path out, or test the variable first: test -n "$VAR".',
    matches: forPrograms(REMOVERS, (command) => deletions(command).some(isRootWhenEmpty)),
    blocks: ['rm -rf "$DIR"/*', 'rm -rf $BUILD_ROOT/', 'rm -rf "$(cat dir.txt)"/*'],
    allows: ['rm -rf "$DIR/dist"', 'ls "$DIR"/*', 'rm -f "$LOG"'],
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
    blocks: ['echo 1 > /etc/motd', 'cp hosts /etc/hosts', 'tee /usr/lib/x.conf < x', 'tar xzf a.tgz -C /opt'],
    allows: ['echo 1 > /dev/null', 'cp /etc/hosts hosts.copy', 'tar xzf a.tgz -C vendor', 'npm test 2>/dev/null'],
  },
  'overwriting/outside': {
    reason: 'This writes outside the work tree.',
    alternative: 'Write inside the work tree or the temporary folder.',
    profiles: ['run'],
    matches: writesIn('home', 'home-itself', 'outside'),
    blocks: ['echo x > ~/notes.txt', 'cp dist/app.js ../other/app.js', 'truncate -s 0 ~/todo.md', 'touch ../flag'],
    allows: ['echo x > notes.txt', 'cp ../shared/types.ts src/types.ts', 'touch /tmp/flag'],
  },
  'overwriting/moved-away': {
    reason: 'This moves a system folder, the home folder, the work tree or its history away.',
    alternative: 'Move only files and folders inside the work tree.',
    matches: movesAwayFrom('system', 'home-itself', 'root-itself', 'git-dir'),
    blocks: ['mv /etc /tmp/etc', 'mv ~ /tmp/home', 'mv .git /tmp/git', 'mv * /tmp/everything/'],
    allows: ['mv src/a.ts src/b.ts', 'mv .gitignore.new .gitignore', 'mv /tmp/out.json data/out.json'],
  },
  'overwriting/moved-from-outside': {
    reason: 'This takes files away from outside the work tree.',
    alternative: 'Copy them instead.',
    profiles: ['run'],
    matches: movesAwayFrom('home', 'outside'),
    blocks: ['mv ~/notes.txt notes.txt', 'mv ../lib vendor/lib', 'mv -f ~/.config/app.json /tmp/'],
    allows: ['cp ../lib/a.ts vendor/a.ts', 'mv lib vendor/lib', 'git mv a.ts b.ts'],
  },
  'overwriting/repository': {
    reason: "This writes into the repository's internals.",
    alternative: 'Use ordinary git commands: add, commit, log, diff.',
    matches: writesIn('git-dir'),
    blocks: ['echo x > .git/HEAD', 'cp hook.sh .git/hooks/pre-commit', 'sed -i d .git/config', ': > .git/index'],
    allows: ['echo dist >> .gitignore', 'cat .git/HEAD', 'cp .git/config /tmp/config-copy'],
  },
};

const NOT_ONES_OWN: readonly Place[] = ['system', 'home-itself', 'home', 'outside', 'git-dir', 'temp-itself'];

/** Programs that change permissions, and the number of words before the files. */
const CHANGERS = table<{ readonly skip: number; readonly values?: readonly string[] }>([
  ['chmod chgrp', { skip: 1, values: ['reference'] }],
  ['chown', { skip: 1, values: ['from', 'reference'] }],
  ['chattr chflags', { skip: 1 }],
  ['chcon', { skip: 1, values: ['t', 'u', 'r', 'l', 'type', 'user', 'role'] }],
  ['setfacl', { skip: 0, values: ['m', 'x', 'M', 'X', 'modify', 'remove'] }],
  ['icacls takeown', { skip: 0 }],
]);

/** The files whose permissions, owner or attributes a command changes. */
function changed(command: SimpleCommand): readonly Word[] {
  const changer = CHANGERS.get(command.name);
  if (changer === undefined || isRehearsal(command)) return [];
  const words = wordsOfChange(command, changer.values ?? []);
  return hasFlag(command, 'reference') ? words : words.slice(changer.skip);
}

/** `-w` and `+x` are modes, not options: the leading dash in `chmod -x file` must not shift the files. */
function wordsOfChange(command: SimpleCommand, values: readonly string[]): readonly Word[] {
  const args = command.args.map((word) => (/^-[rwxXstugoai]+$/.test(word.text) ? { ...word, text: 'mode' } : word));
  return operands({ args: command.name === 'setfacl' ? command.args : args }, values);
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

/** `chmod -R 777`, `chmod -R 000`. */
const opensTree = forPrograms(
  'chmod',
  (command, context, script) =>
    isRecursive(command, context, script) && (OPEN_MODE.test(modeOf(command)) || /^0*[0-3]00$/.test(modeOf(command))),
);

export const permissions: GuardRules = {
  'permissions/outside': {
    reason: 'This changes permissions, owners or attributes outside the work tree.',
    alternative: 'Change only files inside the work tree, and only to what they need (chmod +x FILE).',
    matches: changesIn(NOT_ONES_OWN),
    blocks: ['chmod -R 775 /', 'chown -R me /usr', 'chattr +i /etc/hosts', 'setfacl -m u:x:rwx ~', 'chmod 600 ../x'],
    allows: ['chmod +x scripts/build.sh', 'chmod 644 /tmp/out.txt', 'chmod --help'],
  },
  'permissions/protected': {
    reason: 'This changes permissions of files that the loop and its person own.',
    alternative: 'Leave those files as they are.',
    profiles: ['run'],
    matches: changesIn(['protected']),
    blocks: ['chmod 000 .ralph-active', 'chmod -w .claude/settings.json', 'chattr +i .claude/settings.json'],
    allows: ['ls -l .ralph-active', 'chmod 755 scripts/run.sh', 'stat -c %a .claude/settings.json'],
  },
  'permissions/world-writable-tree': {
    reason: 'This makes a whole tree writable for everybody, or takes it from its owner.',
    alternative: 'Give single files the permission they need, e.g. chmod u+w FILE.',
    matches: anyOf(opensTree, allOf(isRecursive, changesIn(['root-itself']))),
    blocks: ['chmod -R 666 .', 'chmod -R a+w src', 'chown -R me .', 'chmod -R 000 src', 'chmod --recursive o+w lib'],
    allows: ['chmod -R u+w src', 'chmod 755 bin/cli.js', 'chmod -R 755 dist'],
  },
  'permissions/set-id': {
    reason: "This lets a program run with its owner's rights.",
    alternative: 'Run the program as yourself; nothing in a build needs setuid.',
    matches: forPrograms('chmod', (command) => SET_ID_MODE.test(modeOf(command))),
    blocks: ['chmod u+s bin/tool', 'chmod 4755 bin/tool', 'chmod +s a.out'],
    allows: ['chmod 0755 bin/tool', 'chmod u+x bin/tool', 'chmod 1777 /tmp/shared-dir'],
  },
};
