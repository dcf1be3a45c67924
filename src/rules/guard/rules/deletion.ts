import type { GuardCategory, GuardTest } from '../api.ts';
import { holdsProtected, type Place, pathOf, placeOf } from '../paths.ts';
import { UNKNOWN } from '../shell/text.ts';
import { type Deletion, deletions, REMOVERS } from './matching/deletes.ts';
import { liesIn } from './matching/places.ts';
import { forPrograms } from './matching/tests.ts';

const FOREIGN: readonly Place[] = ['home', 'outside'];

/** Whether the command deletes something in one of these places, of a kind that `concerns` accepts. */
function deletesIn(places: readonly Place[], concerns: (deletion: Deletion) => boolean = () => true): GuardTest {
  return forPrograms(REMOVERS, (command, context) =>
    deletions(command).some((deletion) => concerns(deletion) && liesIn(deletion.target, places, command, context)),
  );
}

/** `$DIR/`, `$DIR/*`, `$DIR/..`: the root of the file system when the variable is empty. */
function isRootWhenEmpty({ target, recursive }: Deletion): boolean {
  return recursive && new RegExp(`^${UNKNOWN}+/(\\*|\\.\\*|\\.|(\\.\\./?)+\\*?)?$`).test(target.text);
}

export const deletion: GuardCategory = {
  id: 'deletion',
  title: 'Deleting files and folders',
  rules: [
    {
      id: 'deletion/system',
      reason: 'This deletes files of the operating system.',
      alternative: 'Delete only inside the work tree, by the exact path.',
      matches: deletesIn(['system']),
      examples: {
        block: ['rm -rf /', 'rm -rf /*', 'rm -f /etc/hosts', 'find / -xdev -delete', 'shred -u /var/log/syslog'],
        allow: ['rm -rf build', 'find . -name "*.log" -delete', 'rm --help'],
      },
    },
    {
      id: 'deletion/home',
      reason: 'This deletes the home folder.',
      alternative: 'Delete only inside the work tree, by the exact path.',
      matches: deletesIn(['home-itself']),
      examples: {
        block: [
          'rm -rf ~',
          'rm -r "$HOME"/*',
          'find ~ -type d -delete',
          'rsync -a --delete empty/ ~/',
          'mv ~ /dev/null',
        ],
        allow: ['rm -rf ./home', 'find ~ -maxdepth 1 -name "*.md"', 'rsync -an --delete empty/ ~/'],
      },
    },
    {
      id: 'deletion/outside',
      reason: 'This deletes a folder outside the work tree.',
      alternative: 'Delete only inside the work tree; say in your report what else should go.',
      matches: deletesIn(FOREIGN, ({ recursive }) => recursive),
      examples: {
        block: ['rm -rf ../', 'rm -rf ../other-project', 'rm -r ~/.cache', 'cd .. && rm -rf *', 'git rm -r ../lib'],
        allow: ['rm -rf coverage', 'cd apps/site && rm -rf out', 'rm -rf src/../build'],
      },
    },
    {
      id: 'deletion/outside-file',
      reason: 'This deletes a file outside the work tree.',
      alternative: 'Delete only inside the work tree; say in your report what else should go.',
      profiles: ['run'],
      matches: deletesIn(FOREIGN),
      examples: {
        block: ['rm ~/notes.txt', 'unlink ../plan.md', 'shred ~/.netrc'],
        allow: ['rm notes.txt', 'unlink src/old-link', 'rm -f /tmp/scratch.txt'],
      },
    },
    {
      id: 'deletion/work-tree',
      reason: 'This deletes the whole work tree, uncommitted work included.',
      alternative: 'Delete the files you mean by name; to start afresh, end the iteration and the loop rolls back.',
      matches: deletesIn(['root-itself']),
      examples: {
        block: [
          'rm -rf .',
          'rm -rf *',
          'rm -rf "$PWD"',
          'find . -delete',
          'find . -type f -exec rm {} +',
          'git rm -r -f .',
        ],
        allow: ['rm -rf dist/*', 'find . -name "*.tmp" -delete', 'git rm -r --cached .'],
      },
    },
    {
      id: 'deletion/repository',
      reason: "This deletes the repository's history or its internals.",
      alternative: 'Leave .git alone; a stale lock or a broken index is a case for report_blocker.',
      matches: deletesIn(['git-dir']),
      examples: {
        block: ['rm -r .git', 'rm -f .git/index', 'find .git -name "*.pack" -delete', 'rm -rf ./src/../.git/objects'],
        allow: ['rm -f .gitignore', 'ls .git', 'rm -rf vendor/lib/.gitkeep'],
      },
    },
    {
      id: 'deletion/temporary-folder',
      reason: 'This empties the folder for temporary files, which other programs use too.',
      alternative: 'Delete the temporary files you made, by name.',
      matches: deletesIn(['temp-itself']),
      examples: {
        block: ['rm -rf /tmp', 'rm -rf /tmp/*', 'find /tmp -type f -delete'],
        allow: ['rm -rf /tmp/build-42', 'find /tmp -name "build-*" -delete', 'ls /tmp'],
      },
    },
    {
      id: 'deletion/holds-protected',
      reason: 'This deletes a folder with files that the loop and its person own.',
      alternative: 'Delete the files you mean by name.',
      profiles: ['run'],
      matches: forPrograms(REMOVERS, (command, context) =>
        deletions(command).some(({ target, recursive }) => {
          const path = recursive ? pathOf(target, command, context) : null;
          return path !== null && placeOf(path, context) === 'inside' && holdsProtected(path, context);
        }),
      ),
      examples: {
        block: ['rm -rf .claude', 'rm -rf .ralph', 'find .ralph -type f -delete'],
        allow: ['rm -rf .cache', 'ls .claude', 'rm -rf src/.claude-notes'],
      },
    },
    {
      id: 'deletion/empty-variable',
      reason: 'This deletes the root of the file system if the variable is empty.',
      alternative: 'Write the path out, or test the variable first: test -n "$VAR".',
      matches: forPrograms(REMOVERS, (command) => deletions(command).some(isRootWhenEmpty)),
      examples: {
        block: ['rm -rf "$DIR"/*', 'rm -rf $BUILD_ROOT/', 'rm -rf "$(cat dir.txt)"/*'],
        allow: ['rm -rf "$DIR/dist"', 'ls "$DIR"/*', 'rm -f "$LOG"'],
      },
    },
  ],
};
