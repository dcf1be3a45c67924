import type { GuardCategory, GuardTest } from '../api.ts';
import { hasFlag } from '../flags.ts';
import { pathOf } from '../paths.ts';
import { deletions } from './matching/deletes.ts';
import { homeRelative } from './matching/places.ts';
import { shapes } from './matching/shape.ts';
import { anyOf, forPrograms } from './matching/tests.ts';
import { linkedTo, movedAway, writes } from './matching/writes.ts';

const HISTORY_FILE =
  /^\.(\w*_history|histfile|zhistory|lesshst|python_history|node_repl_history)$|^\.local\/share\/fish\/fish_history$/;

const touchesRecords: GuardTest = (command, context) => {
  const gone = deletions(command).map(({ target }) => target);
  const links = command.name === 'ln' ? writes(command) : [];
  return [...gone, ...writes(command), ...movedAway(command), ...linkedTo(command), ...links].some((word) => {
    const path = pathOf(word, command, context);
    if (path === null) return false;
    const inHome = homeRelative(path, context);
    return (
      /^\/var\/log(\/|$)|^\/var\/(run|lib)\/utmp|^\/run\/log(\/|$)/.test(path) ||
      (inHome !== null && HISTORY_FILE.test(inHome))
    );
  });
};

/** History of this shell and of those after it. */
const silencesHistory = forPrograms('history set', (command) => {
  if (command.name === 'history') return hasFlag(command, 'c', 'd', 'w', 'p');
  if (command.name === 'set')
    return command.args.some(({ text }, at) => text === '+o' && command.args[at + 1]?.text === 'history');
  return false;
});

export const audit: GuardCategory = {
  id: 'audit',
  title: 'Removing traces',
  rules: [
    {
      id: 'audit/files',
      reason: 'This removes or changes logs or histories by which people see what happened.',
      alternative: 'Leave them; read what you need with tail or grep.',
      matches: touchesRecords,
      examples: {
        block: [
          'rm ~/.bash_history',
          '> /var/log/auth.log',
          'ln -sf /dev/null ~/.zsh_history',
          'truncate -s 0 /var/log/syslog',
          'shred -u ~/.python_history',
        ],
        allow: ['tail /var/log/syslog', 'rm logs/dev.log', 'echo x > history.txt'],
      },
    },
    {
      id: 'audit/journal',
      reason: 'This removes logs or histories by which people see what happened.',
      alternative: 'Leave them; read what you need with journalctl -n or last.',
      matches: anyOf(
        silencesHistory,
        shapes(
          'journalctl --vacuum-time|--vacuum-size|--vacuum-files|--rotate|--flush',
          'auditctl -D|-e|-d',
          'logrotate -f|--force',
          'dmesg -C|-c|--clear',
          'utmpdump -r',
          'wevtutil cl|clear-log',
          'Clear-EventLog|Clear-History',
          'log erase',
          'fc -p',
        ),
      ),
      examples: {
        block: ['history -c', 'journalctl --vacuum-time=1s', 'auditctl -D', 'set +o history'],
        allow: ['history', 'journalctl -n 50', 'last'],
      },
    },
  ],
};
