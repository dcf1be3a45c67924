import type { GuardCategory, GuardTest } from '../api.ts';
import { isRehearsal, shapes } from './matching/shape.ts';
import { anyOf, forPrograms } from './matching/tests.ts';

/** Wrappers that give a command the rights of somebody else. */
const ELEVATORS: ReadonlySet<string> = new Set(['sudo', 'doas', 'su', 'pkexec', 'runuser', 'gosu', 'su-exec', 'run0']);

/** Programs that do nothing worth forbidding, whoever runs them. */
const HARMLESS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'id',
  'whoami',
  'echo',
  'printf',
  'which',
  'test',
  ':',
]);

const runsElevated: GuardTest = (command) =>
  command.via.some((wrapper) => ELEVATORS.has(wrapper.split(' ', 1)[0] ?? '')) &&
  !HARMLESS.has(command.name) &&
  !isRehearsal(command);

export const privilege: GuardCategory = {
  id: 'privilege',
  title: 'Rights of other users',
  rules: [
    {
      id: 'privilege/elevated',
      reason: "This runs with another user's rights.",
      alternative: 'Do it without sudo inside the work tree; report system packages or settings you need.',
      profiles: ['run'],
      matches: runsElevated,
      examples: {
        block: [
          'sudo apt-get install -y jq',
          'echo pw | sudo -S ls /root',
          'doas make install',
          'run=sudo; $run make install',
          'su -c id2',
        ],
        allow: ['sudo --version', 'echo "use sudo on Linux"', 'grep -rn sudo docs/'],
      },
    },
    {
      id: 'privilege/shell',
      reason: "This opens a shell or an editor with another user's rights.",
      alternative: 'Work as the user you are.',
      matches: anyOf(
        shapes(
          'sudo|doas -i|-s|--login|--shell|-e|--edit',
          'sudoedit|visudo|vipw|vigr',
          'su * !-c !--command',
          'sudo su',
        ),
        forPrograms('su', ({ args }) => args.length === 0),
      ),
      examples: {
        block: ['sudo -i', 'su -', 'su root', 'sudoedit /etc/hosts', 'visudo'],
        allow: ['sudo -l', 'whoami', 'man su'],
      },
    },
    {
      id: 'privilege/accounts',
      reason: 'This changes accounts, groups or passwords of the machine.',
      alternative: 'Leave accounts alone; report what you need.',
      matches: shapes(
        'usermod|useradd|userdel|adduser|deluser|groupadd|groupdel|groupmod|addgroup|delgroup|gpasswd *',
        'passwd|chpasswd|chage|chsh|chfn|newusers !-S !--status',
        'dscl * -create|-append|-passwd|-delete',
        'net user|localgroup',
        'sysadminctl -addUser|-deleteUser|-resetPasswordFor',
        'pw useradd|usermod|userdel',
      ),
      examples: {
        block: ['usermod -aG docker me', 'useradd -m eve', 'echo root:x | chpasswd', 'passwd root'],
        allow: ['getent passwd', 'passwd -S', 'groups'],
      },
    },
    {
      id: 'privilege/namespaces',
      reason: "This enters another namespace, or gives a program the system's rights.",
      alternative: 'Stay inside your own process tree.',
      matches: anyOf(
        shapes(
          'nsenter|setcap|capsh|machinectl|dsenableroot',
          'unshare -r|--map-root-user|-m|--mount',
          'setpriv *',
          'pkexec',
        ),
        (command) => command.via.some((wrapper) => /^(nsenter|chroot|pkexec)\b/.test(wrapper)),
        shapes('chroot *'),
      ),
      examples: {
        block: ['nsenter -t 1 -m -p sh', 'setcap cap_net_raw+ep bin/tool', 'chroot /host sh', 'pkexec bash'],
        allow: ['getcap bin/tool', 'lsns', 'getpcaps 1'],
      },
    },
    {
      id: 'privilege/system-packages',
      reason: 'This changes the packages of the machine.',
      alternative: 'Use what is installed, or dependencies of the project; report system packages you need.',
      profiles: ['run'],
      matches: shapes(
        'apt|apt-get|aptitude|dnf|yum|zypper|tdnf|microdnf remove|purge|autoremove|erase|dist-upgrade|full-upgrade !-s !--simulate !--dry-run !--assumeno',
        'dpkg -r|-P|--remove|--purge|--force-all',
        'rpm -e|--erase|--nodeps',
        'pacman -R|--remove',
        'apk del',

        'brew uninstall|remove|rm|autoremove !-n !--dry-run',
        'snap remove|revert',
        'flatpak uninstall',
        'pkg delete|remove',
        'emerge -C',
      ),
      examples: {
        block: ['apt-get purge -y libc6', 'dnf remove python3', 'pacman -Rns base', 'brew uninstall node'],
        allow: ['apt list --installed', 'dpkg -l', 'brew list'],
      },
    },
  ],
};
