import type { GuardCategory, GuardTest } from '../api.ts';
import type { Place } from '../paths.ts';
import { liesIn } from './matching/places.ts';
import { movedAway, writes } from './matching/writes.ts';

/** Whether the command writes into one of these places. */
function writesIn(...places: readonly Place[]): GuardTest {
  return (command, context) => writes(command).some((word) => liesIn(word, places, command, context));
}

function movesAwayFrom(...places: readonly Place[]): GuardTest {
  return (command, context) => movedAway(command).some((word) => liesIn(word, places, command, context));
}

export const overwriting: GuardCategory = {
  id: 'overwriting',
  title: 'Overwriting and moving files',
  rules: [
    {
      id: 'overwriting/system',
      reason: 'This writes into files or folders of the operating system.',
      alternative: 'Write inside the work tree or the temporary folder; describe needed system changes in your report.',
      matches: writesIn('system'),
      examples: {
        block: ['echo 1 > /etc/motd', 'cp hosts /etc/hosts', 'tee /usr/lib/x.conf < x', 'tar xzf a.tgz -C /opt'],
        allow: ['echo 1 > /dev/null', 'cp /etc/hosts hosts.copy', 'tar xzf a.tgz -C vendor', 'npm test 2>/dev/null'],
      },
    },
    {
      id: 'overwriting/outside',
      reason: 'This writes outside the work tree.',
      alternative: 'Write inside the work tree or the temporary folder.',
      profiles: ['run'],
      matches: writesIn('home', 'home-itself', 'outside'),
      examples: {
        block: ['echo x > ~/notes.txt', 'cp dist/app.js ../other/app.js', 'truncate -s 0 ~/todo.md', 'touch ../flag'],
        allow: ['echo x > notes.txt', 'cp ../shared/types.ts src/types.ts', 'touch /tmp/flag'],
      },
    },
    {
      id: 'overwriting/moved-away',
      reason: 'This moves a system folder, the home folder, the work tree or its history away.',
      alternative: 'Move only files and folders inside the work tree.',
      matches: movesAwayFrom('system', 'home-itself', 'root-itself', 'git-dir'),
      examples: {
        block: ['mv /etc /tmp/etc', 'mv ~ /tmp/home', 'mv .git /tmp/git', 'mv * /tmp/everything/'],
        allow: ['mv src/a.ts src/b.ts', 'mv .gitignore.new .gitignore', 'mv /tmp/out.json data/out.json'],
      },
    },
    {
      id: 'overwriting/moved-from-outside',
      reason: 'This takes files away from outside the work tree.',
      alternative: 'Copy them instead.',
      profiles: ['run'],
      matches: movesAwayFrom('home', 'outside'),
      examples: {
        block: ['mv ~/notes.txt notes.txt', 'mv ../lib vendor/lib', 'mv -f ~/.config/app.json /tmp/'],
        allow: ['cp ../lib/a.ts vendor/a.ts', 'mv lib vendor/lib', 'git mv a.ts b.ts'],
      },
    },
    {
      id: 'overwriting/repository',
      reason: "This writes into the repository's internals.",
      alternative: 'Use ordinary git commands: add, commit, log, diff.',
      matches: writesIn('git-dir'),
      examples: {
        block: ['echo x > .git/HEAD', 'cp hook.sh .git/hooks/pre-commit', 'sed -i d .git/config', ': > .git/index'],
        allow: ['echo dist >> .gitignore', 'cat .git/HEAD', 'cp .git/config /tmp/config-copy'],
      },
    },
  ],
};
