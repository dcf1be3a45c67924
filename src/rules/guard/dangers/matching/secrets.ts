import type { GuardContext, SimpleCommand, Word } from '../../api.ts';
import { couldMatch, couldMatchName } from '../../glob.ts';
import { hasFlag, textsOf } from '../../options.ts';
import { homeRelative, pathOf } from '../../paths.ts';
import { namesIn } from '../../tables.ts';
import { codeOf, INTERPRETERS } from './network.ts';
import { forPrograms, isRehearsal } from './shape.ts';

/** Files in a home folder that hold keys, tokens or typed text. Whole folders count with their contents. */
const IN_HOME: readonly RegExp[] = [
  /^\.ssh(\/(?!known_hosts|config$|authorized_keys$|.*\.pub$).*)?$/,
  /^\.(aws|azure|gnupg|password-store|kube|oci|vault-token|terraform\.d|electrum|bitcoin|ethereum|mozilla|1password)(\/|$)/,
  /^\.(netrc|npmrc|pypirc|git-credentials|pgpass|my\.cnf|s3cfg|boto|htpasswd|yarnrc\.yml|authinfo(\.gpg)?|dockercfg)$/,
  /^\.config\/(gcloud|gh|hub|glab-cli|op|rclone|doctl|hcloud|flyctl|heroku|vercel|netlify|git\/credentials|solana|sops|age)(\/|$)/,
  /^\.config\/(google-chrome|chromium|BraveSoftware|Code\/User\/globalStorage|configstore)(\/|$)/,
  /^\.docker\/config\.json$|^\.cargo\/credentials|^\.gem\/credentials|^\.m2\/settings|^\.gradle\/gradle\.properties$/,
  /^\.(claude(\/\.credentials\.json|\.json)|codex\/auth\.json|gemini\/oauth_creds\.json|qwen\/settings\.json|kimi-code\/(config\.toml|credentials(\/.*)?)|fly\/config\.yml)$/,
  /^\.local\/share\/(keyrings|kwalletd|ralph|amp\/secrets\.json|kiro-cli)(\/|$)|^\.config\/cursor\/auth\.json$|^\.local\/state\/ralph(\/|$)|^Library\/(Keychains|Cookies)(\/|$)/,
  /^\.(\w*_history|histfile|lesshst|viminfo|psql_history|zhistory)$/,
  /^(.*\/)?\.env(\.(?!example$|sample$|template$|dist$)[^/]+)?$/,
];

/** Secrets of the machine and of other processes. */
const ANYWHERE: readonly RegExp[] = [
  /^\/etc\/(shadow|gshadow|sudoers|krb5\.keytab|master\.passwd)-?(\/|$)|^\/etc\/sudoers\.d(\/|$)/,
  /^\/etc\/(ssl\/private|letsencrypt|wireguard|openvpn|kubernetes|rancher|NetworkManager\/system-connections)(\/|$)/,
  /^\/etc\/ssh\/ssh_host_.*_key$/,
  /^\/proc\/[^/]+\/(environ|mem)$/,
  /^\/(var\/)?run\/secrets(\/|$)/,
  /^\/var\/lib\/(docker|kubelet|sss)(\/|$)/,
];

/** Names of key files: a secret anywhere outside the work tree, and never to be sent away. */
const KEY_NAMES =
  /^(id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn)|\.?credentials(\.json)?|service-?account.*\.json|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials)$/;

const ENV_FILE = /^\.env(rc|\.(?!example$|sample$|template$|dist$|defaults$|schema$).+)?$/;

/** Whether an absolute path is a secret that no agent needs. Files of the work tree belong to the project. */
export function isSecretPath(path: string, context: GuardContext): boolean {
  if (ANYWHERE.some((pattern) => pattern.test(path))) return true;
  if (path === context.root || path.startsWith(`${context.root}/`)) return false;
  const inHome = homeRelative(path, context);
  if (inHome !== null && IN_HOME.some((pattern) => pattern.test(inHome))) return true;
  const name = path.split('/').at(-1) ?? '';
  if (context.temp.some((folder) => path.startsWith(`${folder}/`))) return false;
  return KEY_NAMES.test(name) || ENV_FILE.test(name) || couldBeSecret(path, inHome);
}

/** Files in a home folder that a pattern probably means. */
const LURED: readonly string[] =
  namesIn(`.ssh/id_rsa .ssh/id_ed25519 .aws/credentials .claude/.credentials.json .codex/auth.json .config/gh/hosts.yml
  .docker/config.json .kube/config .env .netrc .npmrc .pypirc .pgpass .git-credentials`);

/** `~/id_*`, `~/.*rc`, `~/.claude/.cred*`: a pattern that covers enough of a secret's path or name. */
function couldBeSecret(path: string, inHome: string | null): boolean {
  if (!/[*?[]/.test(path)) return false;
  const name = path.split('/').at(-1) ?? '';
  const parts = inHome?.split('/') ?? [];
  return LURED.some((secret) => {
    const names = secret.split('/');
    const lure = names.at(-1) ?? '';
    if (/[*?[]/.test(name) && /\w/.test(name) && couldMatch(name, lure)) return true;
    return parts.length === names.length && parts.every((part, at) => couldMatchName(part, names[at] ?? ''));
  });
}

/** Whether an absolute path must not leave the machine: secrets, and the project's keys and `.env` files. */
export function isConfidentialPath(path: string, context: GuardContext): boolean {
  const name = path.split('/').at(-1) ?? '';
  return isSecretPath(path, context) || KEY_NAMES.test(name) || ENV_FILE.test(name);
}

/** Every way in which a word may name a file: as a whole, after `name=`, after `@`, as `host:path`. */
export function pathsIn(word: Word, command: SimpleCommand, context: GuardContext): readonly string[] {
  const { text } = word;
  const spellings = [text, text.replace(/^[^=]*=/, ''), text.replace(/^[^@]*@/, ''), text.replace(/^[^=]*=@/, '')];
  const short = /^-[A-Za-z]([@~/.].*)$/.exec(text)?.[1];
  const readings = new Set([...spellings, ...(short === undefined ? [] : [short, short.replace(/^@/, '')])]);
  return [...readings].flatMap(
    (reading) => pathOf({ ...word, text: reading.replace(/[;,].*$/, '') }, command, context) ?? [],
  );
}

/** Names of variables that hold a secret. */
const SECRET_NAME =
  'TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH(?!OR)|DATABASE_URL|COOKIE';
/** Not `$TOKEN_FILE`: the place of a secret is not a secret. */
const SECRET_VARIABLE = new RegExp(
  `\\$\\{?!?[A-Za-z0-9_]*(?:${SECRET_NAME})(?!\\w*_(?:FILE|PATH|DIR|NAME|ID|COUNT|LENGTH|TTL|EXPIR\\w*)\\b)`,
  'i',
);
const LENGTH_OR_PRESENCE = /\$\{#\w+\}|\$\{\w+:?[+?][^}]{0,99}\}/g;

/** `echo $GITHUB_TOKEN`, but not its length or a test for it. The source has the name, the word only the value. */
export const printsVariable = forPrograms('printenv echo printf cat print declare typeset', (command) => {
  if (/^(declare|typeset)$/.test(command.name) && !hasFlag(command, 'p')) return false;
  if (/^(printenv|declare|typeset)$/.test(command.name))
    return command.args.some(({ text }) => new RegExp(SECRET_NAME, 'i').test(text));
  if (command.pipesTo !== null && isConsumer(command.pipesTo)) return false;
  // The arguments of cat are paths: it prints a variable only from a here-string or here-document.
  if (command.name === 'cat' && !command.redirects.some(({ operator }) => operator.startsWith('<<'))) return false;
  const printed = command.source
    .replace(LENGTH_OR_PRESENCE, '')
    .replace(/'[^']*'/g, '')
    .replace(WRITTEN_TO, '');
  return SECRET_VARIABLE.test(printed);
});

/** The file after a redirection. */
const WRITTEN_TO = /\d*&?>>?\|?\s*("[^"]*"|[^\s"]+)/g;

/** Programs that take a secret on standard input and do not pass it on. */
function isConsumer(program: string): boolean {
  return /^(docker|podman|wc|sha\d+sum|md5sum|shasum|gh|helm|vault|openssl|test|xargs)$/.test(program);
}

const DUMPERS = 'env printenv export declare typeset readonly set compgen ps jq awk gawk mawk';

/** The whole environment, including the loop's own token. */
export const dumpsEnvironment = forPrograms(DUMPERS, (command, _context, script) => {
  const { name, args } = command;
  const dumps =
    (/^(env|printenv)$/.test(name) && args.every(({ text }) => /^(-0|--null)$/.test(text))) ||
    (/^(export|declare|typeset|readonly)$/.test(name) && args.length === 1 && /^-[px]+$/.test(args[0]?.text ?? '')) ||
    (/^(set|export)$/.test(name) && args.length === 0) ||
    (name === 'compgen' && args[0]?.text === '-e') ||
    (name === 'ps' && /^[a-z]*e[a-z]*$/.test(args[0]?.text ?? '')) ||
    (name === 'jq' && args.some(({ text }) => /(^|[|,(\s])(env|\$ENV)(?![\w.[])/.test(text))) ||
    (/awk$/.test(name) && args.some(({ text }) => /\bin\s+ENVIRON\b/.test(text)));
  if (!dumps || isRehearsal(command) || command.pipesTo === 'grep' || command.pipesTo === 'wc') return false;
  const reader = script.find(({ input }) => input.kind === 'pipe' && input.from === command);
  return reader === undefined || !keepsNames(reader);
});

/** `cut -d= -f1`, `awk -F= '{print $1}'`, `sed 's/=.*/ /'`: the names of variables, without their values. */;
function keepsNames(command: SimpleCommand): boolean {
  const words = textsOf(command.args).join(' ');
  if (command.name === 'cut') return /-d\s?=/.test(words) && /-f\s?1$/.test(words.trim());
  if (command.name === 'awk') return /-F\s?=/.test(words) && /\{\s*print \$1\s*\}$/.test(words.trim());
  return command.name === 'sed' && /^s\/=\.\*\/\/g?$/.test(words);
}

/** `env | grep -i token`. */
export const picksFromEnvironment = forPrograms('grep egrep fgrep zgrep rg awk sed', (command, _context, script) => {
  const before = command.input.kind === 'pipe' ? command.input.from : script[script.indexOf(command) - 1];
  if (before === undefined || before.pipesTo !== command.name) return false;
  if (!/^(env|printenv|set|export|declare)$/.test(before.name)) return false;
  return command.args.some(({ text }) => new RegExp(`${SECRET_NAME}|^-v|KEY|ANTHROPIC|OPENAI|^AWS_?$`, 'i').test(text));
});

/** The whole environment, printed by code in another language. */
const PRINTED_ENVIRONMENT =
  /(\bconsole\.\w+|\bprint|\bpprint|\bputs|\bp|\bJSON\.stringify|\bdumps|var_dump|print_r|\bwrite)\b\s*\(?[^;]{0,40}(process\.env|os\.environ|\bENV|%ENV|\$_ENV|\$_SERVER|getenv\(\s*\))(\.(to_h|to_a|inspect|items\(|entries))?(?![\w.[{])|^\s*(process\.env|ENV)(\W{1,2}\w*(TOKEN|SECRET|API_?KEY|PASSWORD)\w*\W{0,2})?\s*$|\bin\s+os\.environ\.items\(\)[\s\S]{0,60}\bprint\b|Object\.(entries|values)\(process\.env\)[\s\S]{0,60}console\.|\bENV\.each\b[\s\S]{0,60}\b(puts|p|print)\b/;

/** Python and JavaScript list only the names. */
const NAMES_ONLY =
  /\b(sorted|list|set|len|Object\.keys)\(\s*(os\.environ|process\.env)\s*\)|\bin\s+os\.environ\b(?!\.)/g;

/** One secret from it: `console.log(process.env.API_KEY)`. A test for it or its length does not count. */
const PRINTED_SECRET = new RegExp(
  `(?:console\\.\\w+|\\bprint|\\bputs|\\becho|\\bp|\\bwrite|-p)\\b\\s*\\(?[^;!?]{0,60}(?:process\\.env|environ|getenv|\\bENV|env::var)(?:\\.get)?\\W{1,4}\\w*(?:${SECRET_NAME})\\w*(?!\\w|["'\\])]*\\s*(?:\\.length|\\?|is not|!=|==|in\\b))`,
  'i',
);

/** `node -p process.env`. */
export const dumpsInCode = forPrograms(INTERPRETERS, (command) =>
  codeOf(command).some(
    (code) =>
      PRINTED_ENVIRONMENT.test(code.replace(NAMES_ONLY, '')) ||
      PRINTED_SECRET.test(code.replace(/\b(bool|Boolean|len|typeof|type|defined)\b\s*\(?[^;)]*/g, '')),
  ),
);
