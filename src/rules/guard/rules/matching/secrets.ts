import type { GuardContext, SimpleCommand, Word } from '../../api.ts';
import { pathOf } from '../../paths.ts';
import { couldMatch, couldMatchName } from '../../shell/glob.ts';
import { homeRelative } from './places.ts';

/** Files in a home folder that hold keys, tokens or what somebody typed. Whole folders count, what is in them too. */
const IN_HOME: readonly RegExp[] = [
  /^\.ssh(\/(?!known_hosts|config$|authorized_keys$|.*\.pub$).*)?$/,
  /^\.(aws|azure|gnupg|password-store|kube|oci|vault-token|terraform\.d|electrum|bitcoin|ethereum|mozilla|1password)(\/|$)/,
  /^\.(netrc|npmrc|pypirc|git-credentials|pgpass|my\.cnf|s3cfg|boto|htpasswd|yarnrc\.yml|authinfo(\.gpg)?|dockercfg)$/,
  /^\.config\/(gcloud|gh|hub|glab-cli|op|rclone|doctl|hcloud|flyctl|heroku|vercel|netlify|git\/credentials|solana|sops|age)(\/|$)/,
  /^\.config\/(google-chrome|chromium|BraveSoftware|Code\/User\/globalStorage|configstore)(\/|$)/,
  /^\.docker\/config\.json$|^\.cargo\/credentials|^\.gem\/credentials|^\.m2\/settings|^\.gradle\/gradle\.properties$/,
  /^\.(claude(\/\.credentials\.json|\.json)|codex\/auth\.json|gemini\/oauth_creds\.json|fly\/config\.yml)$/,
  /^\.local\/share\/(keyrings|kwalletd|ralph)(\/|$)|^\.local\/state\/ralph(\/|$)|^Library\/(Keychains|Cookies)(\/|$)/,
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

/** Names of keys: a secret wherever they lie outside the work tree, and never to be sent away. */
const KEY_NAMES =
  /^(id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn)|\.?credentials(\.json)?|service-?account.*\.json|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials)$/;

const ENV_FILE = /^\.env(rc|\.(?!example$|sample$|template$|dist$|defaults$|schema$).+)?$/;

/** Whether an absolute path is a secret that an agent has no business with. Files of the work tree are the project's. */
export function isSecretPath(path: string, context: GuardContext): boolean {
  if (ANYWHERE.some((pattern) => pattern.test(path))) return true;
  if (path === context.root || path.startsWith(`${context.root}/`)) return false;
  const inHome = homeRelative(path, context);
  if (inHome !== null && IN_HOME.some((pattern) => pattern.test(inHome))) return true;
  const name = path.split('/').at(-1) ?? '';
  if (context.temp.some((folder) => path.startsWith(`${folder}/`))) return false;
  return KEY_NAMES.test(name) || ENV_FILE.test(name) || couldBeSecret(path, inHome);
}

/** What a pattern in a home folder is likely meant for. */
const LURED: readonly string[] = [
  '.ssh/id_rsa',
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.config/gh/hosts.yml',
  '.docker/config.json',
  '.kube/config',
  '.env',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
];

/** `~/id_*`, `~/.*rc`, `~/.claude/.cred*`: a pattern that says enough of a secret's path or of its name. */
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

/** Whether an absolute path must not leave the machine: secrets, and the project's own keys and `.env` files. */
export function isConfidentialPath(path: string, context: GuardContext): boolean {
  const name = path.split('/').at(-1) ?? '';
  return isSecretPath(path, context) || KEY_NAMES.test(name) || ENV_FILE.test(name);
}

/** Every way in which a word may name a file: as it stands, behind `name=`, behind `@`, as `host:path`. */
export function pathsIn(word: Word, command: SimpleCommand, context: GuardContext): readonly string[] {
  const { text } = word;
  const spellings = [text, text.replace(/^[^=]*=/, ''), text.replace(/^[^@]*@/, ''), text.replace(/^[^=]*=@/, '')];
  const short = /^-[A-Za-z]([@~/.].*)$/.exec(text)?.[1];
  const readings = new Set([...spellings, ...(short === undefined ? [] : [short, short.replace(/^@/, '')])]);
  return [...readings].flatMap(
    (reading) => pathOf({ ...word, text: reading.replace(/[;,].*$/, '') }, command, context) ?? [],
  );
}
