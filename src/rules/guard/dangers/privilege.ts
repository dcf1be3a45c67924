import type { GuardContext, GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag, textsOf } from '../options.ts';
import { homeRelative, pathOf } from '../paths.ts';
import { namesIn } from '../tables.ts';
import { linkedTo, movedAway, touched, writes } from './matching/changes.ts';
import { anyOf, forPrograms, isRehearsal, shapes } from './matching/shape.ts';

/** Wrappers that run a command with another user's rights. */
const ELEVATORS: ReadonlySet<string> = new Set(['sudo', 'doas', 'pkexec', 'runuser', 'gosu', 'su-exec', 'run0']);

/** Programs that are harmless under any user. */
const HARMLESS: ReadonlySet<string> = new Set(namesIn('true false id whoami echo printf which test :'));

const runsElevated: GuardTest = (command) =>
  command.via.some((wrapper) => ELEVATORS.has(wrapper.split(' ', 1)[0] ?? '')) &&
  !HARMLESS.has(command.name) &&
  !isRehearsal(command);

export const privilege: GuardRules = {
  'privilege/elevated': {
    reason: "This runs with another user's rights.",
    alternative: 'Do it without sudo inside the work tree; report system packages or settings you need.',
    profiles: ['run'],
    matches: anyOf(runsElevated, 'su -c|--command|--session-command'),
  },
  'privilege/shell': {
    reason: "This opens a shell or an editor with another user's rights.",
    alternative: 'Work as the user you are.',
    matches: anyOf(
      'sudo|doas -i|-s|--login|--shell|-e|--edit',
      'sudoedit|visudo|vipw|vigr',
      'su * !-c !--command !--session-command',
      'sudo su',
      forPrograms('su', ({ args }) => args.length === 0),
    ),
  },
  'privilege/accounts': {
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
  },
  'privilege/namespaces': {
    reason: "This enters another namespace, or gives a program the system's rights.",
    alternative: 'Stay inside your own process tree.',
    matches: anyOf(
      'nsenter|setcap|capsh|machinectl|dsenableroot',
      'unshare -r|--map-root-user|-m|--mount',
      'setpriv *',
      'pkexec',
      (command) => command.via.some((wrapper) => /^(nsenter|chroot|pkexec)\b/.test(wrapper)),
      'chroot *',
    ),
  },
  'privilege/system-packages': {
    reason: 'This changes the packages of the machine.',
    alternative: 'Use what is installed, or dependencies of the project; report system packages you need.',
    profiles: ['run'],
    matches: shapes(
      'apt|apt-get|aptitude|dnf|yum|zypper|tdnf|microdnf remove|purge|autoremove|erase|dist-upgrade|full-upgrade',
      'dpkg -r|-P|--remove|--purge|--force-all',
      'rpm -e|--erase|--nodeps',
      'pacman -R|--remove',
      'apk del',
      'brew uninstall|remove|rm|autoremove',
      'snap remove|revert',
      'flatpak uninstall',
      'pkg delete|remove',
      'emerge -C',
    ),
  },
};

const HISTORY_FILE =
  /^\.(\w*_history|histfile|zhistory|lesshst|python_history|node_repl_history)$|^\.local\/share\/fish\/fish_history$/;

const touchesRecords: GuardTest = (command, context) => {
  return touched(command).some((word) => {
    const path = pathOf(word, command, context);
    if (path === null) return false;
    const inHome = homeRelative(path, context);
    return (
      /^\/var\/log(\/|$)|^\/var\/(run|lib)\/utmp|^\/run\/log(\/|$)/.test(path) ||
      (inHome !== null && HISTORY_FILE.test(inHome))
    );
  });
};

/** Disables the history of this shell or later ones. */
const silencesHistory = forPrograms('history set', (command) => {
  if (command.name === 'history') return hasFlag(command, 'c', 'd', 'w', 'p');
  if (command.name === 'set')
    return command.args.some(({ text }, at) => text === '+o' && command.args[at + 1]?.text === 'history');
  return false;
});

export const audit: GuardRules = {
  'audit/files': {
    reason: 'This removes or changes logs or histories that show what happened.',
    alternative: 'Leave them; read what you need with tail or grep.',
    matches: touchesRecords,
  },
  'audit/journal': {
    reason: 'This removes logs or histories that show what happened.',
    alternative: 'Leave them; read what you need with journalctl -n or last.',
    matches: anyOf(
      silencesHistory,

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
  },
};

/** Files in a home folder that run, or decide what runs, at a later login or program start. */
const STARTS_IN_HOME: readonly RegExp[] = [
  /^\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xinitrc|xprofile|xsession|xsessionrc|pam_environment|envrc|direnvrc)$/,
  /^\.config\/(fish|autostart|systemd|environment\.d|nushell|git|direnv|pip|npm)(\/|$)/,
  /^\.(gitconfig|vimrc|emacs|tmux\.conf|screenrc|gdbinit|lldbinit|pythonrc|irbrc|curlrc|wgetrc|npmrc|pypirc|yarnrc(\.yml)?|condarc)$/,
  /^\.(git-templates|githooks|husky|oh-my-zsh|vim|emacs\.d|claude|codex|cursor|gemini|qwen|kimi-code|kiro)(\/|$)/,
  /^\.ssh(\/|$)|^\.local\/(bin|share\/(applications|systemd|dbus-1))(\/|$)|^bin(\/|$)|^Library\/(LaunchAgents|LaunchDaemons|StartupItems)(\/|$)/,
  /^\.config\/(nvim|google-chrome|Code|amp)(\/|$)/,
];

/** System files with the same power. */
const STARTS_IN_SYSTEM =
  /^\/(etc\/(cron|profile|bash|zsh|environment|rc|init|systemd|ld\.so|sudoers|passwd|shadow|group|hosts|pam|security|ssh|apt|yum|udev|modules|modprobe|xdg|crontab|anacrontab|resolv\.conf|fstab|gitconfig|npmrc)|var\/spool\/(cron|at)|usr\/(local\/)?s?bin|usr\/(local\/)?lib|s?bin|lib|Library\/Launch|opt\/homebrew\/bin|root\/)/;

function changedPaths(command: SimpleCommand, context: GuardContext): readonly string[] {
  const words = [...writes(command), ...movedAway(command), ...linkedTo(command)];
  return words.flatMap((word) => pathOf(word, command, context) ?? []);
}

const writesStartFile: GuardTest = (command, context) =>
  changedPaths(command, context).some((path) => {
    if (path.startsWith(`${context.root}/`) || context.temp.some((folder) => path.startsWith(`${folder}/`)))
      return false;
    const inHome = homeRelative(path, context);
    return inHome !== null && STARTS_IN_HOME.some((pattern) => pattern.test(inHome));
  });

/** Files from which the system starts programs are protected in both profiles. */
const writesSystemStartFile: GuardTest = (command, context) =>
  changedPaths(command, context).some(
    (path) => STARTS_IN_SYSTEM.test(path) || /\/\.ssh\/(authorized_keys2?|rc)$/.test(path),
  );

/** `crontab FILE`, `crontab -`, `crontab -e`, `crontab -r`; `crontab -l` only reads. */
const changesCrontab = forPrograms('crontab', (command) => !hasFlag(command, 'l', 'V', 'help'));

const LOADERS =
  /^(LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|PROMPT_COMMAND|BASH_ENV|ENV|PERL5OPT|PYTHONSTARTUP|RUBYOPT)$/;

const loadsIntoPrograms: GuardTest = (command) => {
  const exported = /^(export|declare|typeset)$/.test(command.name) ? textsOf(command.args) : [];
  const all = [...command.assignments.map(({ name, value }) => `${name}=${value.text}`), ...exported];
  return all.some((text) => {
    const [name = '', value = ''] = text.split(/=(.*)/s);
    return LOADERS.test(name) && /\.(so|dylib)|^\/|\$\(|[;|&]|\bsh\b/.test(value) && name !== 'LD_LIBRARY_PATH';
  });
};

export const persistence: GuardRules = {
  'persistence/schedule': {
    reason: 'This schedules code to run later, unattended.',
    alternative: 'Run it now, or describe the schedule in the project and in your report.',
    matches: anyOf(
      changesCrontab,

      'at|batch !-l !-c !-V',
      'systemd-run|atrm|schtasks|anacron|fcrontab *',
      'systemd-run --on-calendar|--on-active|--user',
      'pm2 startup|save',
      'loginctl enable-linger',
      'launchctl load|bootstrap|submit',
    ),
  },
  'persistence/system': {
    reason: 'This writes where the machine looks for programs, accounts, keys or settings.',
    alternative: 'Keep programs and settings in the work tree; report what the machine needs.',
    matches: anyOf(
      writesSystemStartFile,
      'ssh-copy-id *',
      'update-alternatives|alternatives --install|--set|--remove|--remove-all',
    ),
  },
  'persistence/start-files': {
    reason: "This changes files that run at the user's next login or program start.",
    alternative: 'Set what you need for one command: NAME=value command.',
    profiles: ['run'],
    matches: writesStartFile,
  },
  'persistence/preload': {
    reason: 'This loads foreign code into every program that starts.',
    alternative: 'Start the one program with what it needs.',
    matches: loadsIntoPrograms,
  },
};
