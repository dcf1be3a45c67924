import { join } from 'node:path';
import { list, readText, realPath, stat } from '../../../platform/files/files.ts';
import { holdsCredential } from '../home/inline-credentials.ts';
import { isSeen, type ViewEntry } from './entry.ts';
import { normalPath } from './paths.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Nothing but credentials is in these. */
const LOGINS = /^(?:[._]netrc|\.pypirc|\.git-credentials|credentials(?:\.toml|\.json)?)$/;
/** Settings of package managers, in which a credential may stand. `config` is that of a version manager's own clone. */
const SETTINGS =
  /^(?:\.?npmrc|\.yarnrc(?:\.yml)?|\.?bunfig\.toml|pip\.(?:conf|ini)|\.?condarc|\.?gemrc|settings\.xml|gradle\.properties|nuget\.config|config)$/i;
/** What packages bring along: many files, none of them a person's. */
const OF_PACKAGES =
  /^(?:node_modules|site-packages|dist-packages|python[\d.]+|gems|pkgs|include|share|doc|docs|man|src|test|tests|locale|objects|rustlib|platforms|system-images|ms-playwright)$/;
/** As deep as `versions/node/v24/etc/npmrc` and `candidates/maven/3/conf/settings.xml` below what is shown. */
const DEPTH = 6;
/** Entries that are looked at in all, so that no large folder delays a start. */
const MOST_LOOKED_AT = 20_000;
/** Settings are smaller. */
const MOST_BYTES = 256 * 1024;

/** Files of all users; nobody but root can have written to them, and everybody can read them. */
const OF_THE_SYSTEM: readonly string[] = [
  ...['/etc/npmrc', '/usr/etc/npmrc', '/usr/local/etc/npmrc', '/etc/pip.conf', '/etc/gemrc', '/etc/gitconfig'],
  ...['/etc/maven/settings.xml', '/usr/share/maven/conf/settings.xml', '/etc/conda/.condarc', '/etc/netrc'],
];
/** Variables that name such a file. */
const NAMING =
  /^(?:npm_config_(?:global|user)config|pip_config_file|netrc|conda(?:rc|_rc)|yarn_rc_filename|gradle_user_home|pypirc)$/i;
/** npm's own, below a prefix. */
const BELOW_PREFIX = ['etc/npmrc', 'lib/node_modules/npm/npmrc'];

/**
 * Covers for the files in toolchains that hold a credential. Toolchains are shown whole, and version managers keep the
 * global settings of a package manager in them.
 *
 * @param shown toolchains and programs; what a person named to be read is not among them
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

/** Links are not followed: where one leads is not shown, or shown by its own name. */
async function credentialsBelow(path: string, depth: number, budget: { left: number }): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null);
  budget.left -= 1;
  if (found?.kind === 'file') return isNamedSo(path) && (await holdsOne(path)) ? [path] : [];
  if (found?.kind !== 'dir' || depth === 0 || budget.left <= 0) return [];
  const names = await list(path).catch(() => []);
  const below: string[] = [];
  for (const name of names) {
    const inner = name === 'node_modules' ? join(path, name, 'npm', 'npmrc') : join(path, name);
    if (inner === join(path, name) && OF_PACKAGES.test(name)) continue;
    // Programs and libraries are not even looked at.
    if (/[^.]\.[a-z]\w{0,4}$/i.test(name) && !isNamedSo(name)) continue;
    below.push(...(await credentialsBelow(inner, depth - 1, budget)));
  }
  return below;
}

function isNamedSo(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return LOGINS.test(name) || SETTINGS.test(name);
}

async function holdsOne(path: string): Promise<boolean> {
  if (LOGINS.test(path.slice(path.lastIndexOf('/') + 1))) return true;
  const found = await stat(path);
  if (found?.kind !== 'file' || found.size > MOST_BYTES) return false;
  // What is not readable to us is not to what we start.
  const text = await readText(path).catch(() => null);
  return text !== null && holdsCredential(text);
}
