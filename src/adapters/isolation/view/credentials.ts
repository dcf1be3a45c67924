import { join } from 'node:path';
import { list, readText, realPath, stat } from '../../../platform/index.ts';
import type { Env } from '../port.ts';
import { isSeen, normalPath, type ViewEntry } from './entry.ts';

/** Files that contain only credentials. */
const LOGINS = /^(?:[._]netrc|\.pypirc|\.git-credentials|credentials(?:\.toml|\.json)?)$/;
/** Package manager settings, which may contain a credential. `config` belongs to a version manager's own clone. */
const SETTINGS =
  /^(?:\.?npmrc|\.yarnrc(?:\.yml)?|\.?bunfig\.toml|pip\.(?:conf|ini)|\.?condarc|\.?gemrc|settings\.xml|gradle\.properties|nuget\.config|config)$/i;
/** Folders of installed packages: many files, none of them a user's. */
const OF_PACKAGES =
  /^(?:node_modules|site-packages|dist-packages|python[\d.]+|gems|pkgs|include|share|doc|docs|man|src|test|tests|locale|objects|rustlib|platforms|system-images|ms-playwright)$/;
/** Deep enough for `versions/node/v24/etc/npmrc` and `candidates/maven/3/conf/settings.xml` below what is shown. */
const DEPTH = 6;
/** Limit on inspected entries in total, so that no large folder delays a start. */
const MOST_LOOKED_AT = 20_000;
const MOST_BYTES = 256 * 1024;

/** Files for all users; only root can have written to them, and every user can read them. */
const OF_THE_SYSTEM: readonly string[] = [
  ...['/etc/npmrc', '/usr/etc/npmrc', '/usr/local/etc/npmrc', '/etc/pip.conf', '/etc/gemrc', '/etc/gitconfig'],
  ...['/etc/maven/settings.xml', '/usr/share/maven/conf/settings.xml', '/etc/conda/.condarc', '/etc/netrc'],
];
/** Variables that name such a file. */
const NAMING =
  /^(?:npm_config_(?:global|user)config|pip_config_file|netrc|conda(?:rc|_rc)|yarn_rc_filename|gradle_user_home|pypirc)$/i;
/** npm's own files, below a prefix. */
const BELOW_PREFIX = ['etc/npmrc', 'lib/node_modules/npm/npmrc'];

/**
 * Covers for the files in toolchains that contain a credential. Toolchains are shown whole, and version managers keep a
 * package manager's global settings in them.
 *
 * @param shown toolchains and programs, without the places that a user named for reading
 * @param system what else is seen
 */
export async function credentialCovers(
  shown: readonly ViewEntry[],
  system: readonly ViewEntry[],
  env: Env,
): Promise<readonly ViewEntry[]> {
  const budget = { left: MOST_LOOKED_AT };
  const covers: ViewEntry[] = [];
  for (const entry of shown) {
    if (entry.kind !== 'read') continue;
    for (const path of await credentialsBelow(entry.from, DEPTH, budget)) {
      covers.push({ kind: 'mask', at: `${entry.at}${path.slice(entry.from.length)}`, of: 'file' });
    }
  }
  const named = Object.keys(env).flatMap((name) => (NAMING.test(name) ? (normalPath(env[name]) ?? []) : []));
  const prefix = join(process.execPath, '../..');
  for (const path of [...OF_THE_SYSTEM, ...named, ...BELOW_PREFIX.map((below) => join(prefix, below))]) {
    const real = await realPath(path).catch(() => null);
    if (real === null || !isSeen([...system, ...shown], real)) continue;
    if (await holdsOne(real)) covers.push({ kind: 'mask', at: real, of: 'file' });
  }
  return covers;
}

/** Links are not followed: a link's target is not shown, or is shown under its own name. */
async function credentialsBelow(path: string, depth: number, budget: { left: number }): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null);
  budget.left -= 1;
  if (found?.kind === 'file') return hasCredentialName(path) && (await holdsOne(path)) ? [path] : [];
  if (found?.kind !== 'dir' || depth === 0 || budget.left <= 0) return [];
  const names = await list(path).catch(() => []);
  const below: string[] = [];
  for (const name of names) {
    const inner = name === 'node_modules' ? join(path, name, 'npm', 'npmrc') : join(path, name);
    if (inner === join(path, name) && OF_PACKAGES.test(name)) continue;
    // Programs and libraries are skipped.
    if (/[^.]\.[a-z]\w{0,4}$/i.test(name) && !hasCredentialName(name)) continue;
    below.push(...(await credentialsBelow(inner, depth - 1, budget)));
  }
  return below;
}

function hasCredentialName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return LOGINS.test(name) || SETTINGS.test(name);
}

async function holdsOne(path: string): Promise<boolean> {
  if (LOGINS.test(path.slice(path.lastIndexOf('/') + 1))) return true;
  const found = await stat(path);
  if (found?.kind !== 'file' || found.size > MOST_BYTES) return false;
  // A file that we cannot read is not readable by the processes we start.
  const text = await readText(path).catch(() => null);
  return text !== null && holdsCredential(text);
}

const NAME =
  '[\\w.-]*(?:api[-_]?key|auth[-_]?token|access[-_]?token|token|secret|passw(?:or)?d|authorization|credentials?)';

/** `"apiKey": "…"`, `api_key = '…'`, `token: …`: the value of a setting with such a name. */
const SETTING = new RegExp(
  `["']?\\b${NAME}["']?\\s*[:=]\\s*(?:"([^"\\n]*)"|'([^'\\n]*)'|((?:\\$\\{[^}]*\\}|[^\\s"'{}\\[\\],#])+))`,
  'gi',
);

/** Patterns that only keys match, in any place. */
const KEYS = [
  /\bsk-[\w-]{16,}/,
  /\b(?:gh[opsur]_|github_pat_)\w{16,}/,
  /\bAIza[\w-]{30,}/,
  /\bxox[abprs]-[\w-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bBearer\s+[\w.~+/-]{12,}/,
  /\b(?:fk|glpat|npm)[-_][\w-]{16,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /:\/\/[^\s/@:"']+:[^\s/@"']+@/,
  // npm, Maven, NuGet and conda have their own forms.
  /^\s*(?:\/\/\S*:)?_auth\s*=\s*["']?(?!\$)[^\s"']/m,
  /<(?:password|passphrase|privateKey)>\s*(?!\$\{)[^\s<]/,
  /key\s*=\s*"(?:ClearText)?Password"\s+value\s*=\s*"(?!%)[^"]/i,
  /:\/\/[^\s/]+\/t\/[\w-]{8,}\//,
];

/** A reference to a value, or a value that is not a secret: `{env:KEY}`, `${KEY}`, `$KEY`, `true`, `4096`. */
const NO_SECRET = /^(?:|(?:Bearer\s+)?(?:\{(?:env|file):[^}]*\}|\$\{?\w+(?::-)?\}?)|true|false|null|[\d._]+)$/;

/** Settings files, which may contain a key; prose and programs are copied unchanged. */
export function isSettingsFile(name: string): boolean {
  return /\.(jsonc?|json5|toml|ya?ml|ini|env)$/i.test(name);
}

/** Does this settings text contain a key, token or password, rather than a reference to one? Pure. */
export function holdsCredential(settings: string): boolean {
  // Maven's own settings show in comments how to write one.
  const text = settings.replaceAll(/<!--[\s\S]*?-->/g, '');
  if (KEYS.some((form) => form.test(text))) return true;
  return [...text.matchAll(SETTING)].some(([, double, single, bare]) => {
    return !NO_SECRET.test((double ?? single ?? bare ?? '').trim());
  });
}
