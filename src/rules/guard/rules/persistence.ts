import type { GuardCategory, GuardContext, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag } from '../flags.ts';
import { pathOf } from '../paths.ts';
import { homeRelative } from './matching/places.ts';
import { shapes } from './matching/shape.ts';
import { anyOf, forPrograms } from './matching/tests.ts';
import { linkedTo, movedAway, writes } from './matching/writes.ts';

/** Files in a home folder that run, or decide what runs, at a later login or program start. */
const STARTS_IN_HOME: readonly RegExp[] = [
  /^\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xinitrc|xprofile|xsession|xsessionrc|pam_environment|envrc|direnvrc)$/,
  /^\.config\/(fish|autostart|systemd|environment\.d|nushell|git|direnv|pip|npm)(\/|$)/,
  /^\.(gitconfig|vimrc|emacs|tmux\.conf|screenrc|gdbinit|lldbinit|pythonrc|irbrc|curlrc|wgetrc|npmrc|pypirc|yarnrc(\.yml)?|condarc)$/,
  /^\.(git-templates|githooks|husky|oh-my-zsh|vim|emacs\.d|claude|codex|cursor|gemini)(\/|$)/,
  /^\.ssh(\/|$)|^\.local\/(bin|share\/(applications|systemd|dbus-1))(\/|$)|^bin(\/|$)|^Library\/(LaunchAgents|LaunchDaemons|StartupItems)(\/|$)/,
  /^\.config\/(nvim|google-chrome|Code)(\/|$)/,
];

/** Places of the machine with the same power. */
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

/** Starting what a file of the machine starts is a matter for both profiles. */
const writesSystemStartFile: GuardTest = (command, context) =>
  changedPaths(command, context).some(
    (path) => STARTS_IN_SYSTEM.test(path) || /\/\.ssh\/(authorized_keys2?|rc)$/.test(path),
  );

/** `crontab FILE`, `crontab -`, `crontab -e`, `crontab -r`; `crontab -l` only reads. */
const changesCrontab = forPrograms('crontab', (command) => !hasFlag(command, 'l', 'V', 'help'));

const LOADERS =
  /^(LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|PROMPT_COMMAND|BASH_ENV|ENV|PERL5OPT|PYTHONSTARTUP|RUBYOPT)$/;

const loadsIntoPrograms: GuardTest = (command) => {
  const exported = /^(export|declare|typeset)$/.test(command.name) ? command.args.map(({ text }) => text) : [];
  const all = [...command.assignments.map(({ name, value }) => `${name}=${value.text}`), ...exported];
  return all.some((text) => {
    const [name = '', value = ''] = text.split(/=(.*)/s);
    return LOADERS.test(name) && /\.(so|dylib)|^\/|\$\(|[;|&]|\bsh\b/.test(value) && name !== 'LD_LIBRARY_PATH';
  });
};

export const persistence: GuardCategory = {
  id: 'persistence',
  title: 'Code that runs later',
  rules: [
    {
      id: 'persistence/schedule',
      reason: 'This schedules code to run later, when nobody expects it.',
      alternative: 'Run it now, or describe the schedule in the project and in your report.',
      matches: anyOf(
        changesCrontab,
        shapes(
          'at|batch !-l !-c !-V',
          'systemd-run|atrm|schtasks|anacron *',
          'schtasks /create|/change|/delete',
          'fcrontab *',
          'systemd-run --on-calendar|--on-active|--user',
        ),
        shapes('pm2 startup|save', 'loginctl enable-linger', 'launchctl load|bootstrap|submit'),
      ),
      examples: {
        block: [
          'crontab jobs.txt',
          'echo "* * * * * x" | crontab -',
          'crontab -r',
          'echo sh x.sh | at now + 1 hour',
          'systemd-run --on-calendar=daily x',
        ],
        allow: ['crontab -l', 'atq', 'node scripts/run.js --at 10'],
      },
    },
    {
      id: 'persistence/system',
      reason: 'This writes where the machine looks for programs, accounts, keys or settings.',
      alternative: 'Keep programs and settings in the work tree; report what the machine needs.',
      matches: anyOf(
        writesSystemStartFile,
        shapes('ssh-copy-id *', 'update-alternatives|alternatives --install|--set|--remove|--remove-all'),
      ),
      examples: {
        block: [
          'echo "x ALL=(ALL) NOPASSWD:ALL" > /etc/sudoers.d/x',
          'cp tool /usr/local/bin/tool',
          'echo 1.2.3.4 a >> /etc/hosts',
          'echo key >> ~/.ssh/authorized_keys',
          'tee /etc/ld.so.preload < x',
        ],
        allow: ['cat /etc/hosts', 'cp /usr/local/bin/tool vendor/tool', 'echo x > etc/hosts'],
      },
    },
    {
      id: 'persistence/start-files',
      reason: "This changes files that run at the person's next login or program start.",
      alternative: 'Set what you need for one command: NAME=value command.',
      profiles: ['run'],
      matches: writesStartFile,
      examples: {
        block: [
          'echo "export A=1" >> ~/.bashrc',
          "sed -i '1i x' ~/.zshrc",
          'cp hook ~/.config/fish/config.fish',
          'ln -s /tmp/x ~/.local/bin/git',
          'mv key ~/.ssh/config',
        ],
        allow: ['cat ~/.bashrc', 'A=1 npm test', 'echo x >> .envrc'],
      },
    },
    {
      id: 'persistence/preload',
      reason: 'This loads foreign code into every program that starts.',
      alternative: 'Start the one program with what it needs.',
      matches: loadsIntoPrograms,
      examples: {
        block: ['LD_PRELOAD=/tmp/x.so ls', 'export LD_PRELOAD=./x.so', 'export BASH_ENV=/tmp/x'],
        allow: [
          'LD_LIBRARY_PATH=./lib ./build/app',
          'NODE_OPTIONS=--max-old-space-size=4096 npm test',
          'unset LD_PRELOAD',
        ],
      },
    },
  ],
};
