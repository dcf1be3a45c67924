import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { isWithin, list, packageFolder, readText, realPath, stat } from '../../../platform/index.ts';
import type { Env } from '../port.ts';
import { normalPath } from './entry.ts';

/** Beside a `bin` folder these show that it belongs to a program installed under its own prefix, which needs them. */
const OF_A_PREFIX = ['lib', 'lib64', 'libexec'];

/** In a folder these show that it is a project, regardless of its other content. */
const OF_A_PROJECT = ['.git', '.env', '.hg', '.jj'];

/** Managed by the package manager: links there lead to other system folders. */
const OF_THE_SYSTEM = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];

/** The most links followed from one `bin` folder. */
const MOST_LINKS = 3_000;

/**
 * What must be visible inside for the programs on PATH to work: host files and folders, by their names there. Not for
 * folders of the work tree: an agent chose what is linked there.
 */
export async function programPlaces(
  path: string | undefined,
  home: string,
  tree: readonly string[],
): Promise<readonly string[]> {
  const folders = (path ?? '').split(':').flatMap((entry) => normalPath(entry) ?? []);
  const ofPeople = folders.filter((folder) => !OF_THE_SYSTEM.includes(folder) && !isWithin(home, folder));
  const found = await Promise.all([...new Set(ofPeople)].map((folder) => binPlaces(folder, home, tree)));
  return found.flat();
}

/** What must be visible for one program to work: the program, its link targets, and its installation. */
export async function placesOf(program: string, home: string): Promise<readonly string[]> {
  const real = await realPath(program).catch(() => null);
  if (real === null) return [];
  return [program, ...(await installationOf(real, home))];
}

/** The file that a command starts: found as execvp(3) does; null when it is not found. */
export async function findFile(file: string, cwd: string, path: string | undefined): Promise<string | null> {
  const places = file.includes('/') ? [''] : (path ?? '').split(':');
  for (const place of places) {
    const candidate = resolve(cwd, place, file);
    const real = await realPath(candidate).catch(() => null);
    const found = real === null ? null : await stat(real);
    if (found?.kind === 'file' && (found.mode & 0o111) !== 0) return candidate;
  }
  return null;
}

async function binPlaces(folder: string, home: string, tree: readonly string[]): Promise<readonly string[]> {
  const real = await realPath(folder).catch(() => null);
  if (real === null || [real, folder].some((path) => tree.some((root) => isWithin(path, root)))) return [];
  const [prefix, names] = await Promise.all([prefixOf(real, home), list(real).catch(() => [])]);
  const linked = await Promise.all(names.slice(0, MOST_LINKS).map((name) => linkedProgram(join(real, name), home)));
  return [folder, prefix ?? real, ...linked.flat()];
}

/** The target of a link in a `bin` folder, if it is a program: a user may have a link to a key there. */
async function linkedProgram(path: string, home: string): Promise<readonly string[]> {
  if ((await stat(path))?.kind !== 'symlink') return [];
  const real = await realPath(path).catch(() => null);
  const found = real === null ? null : await stat(real);
  if (real === null || found?.kind !== 'file' || (found.mode & 0o111) === 0) return [];
  return installationOf(real, home);
}

/** For an npm package everything that was installed beside it, for a program of a prefix the prefix. */
async function installationOf(real: string, home: string): Promise<readonly string[]> {
  const modules = real.indexOf('/node_modules/');
  if (modules !== -1) return [real.slice(0, modules + '/node_modules'.length)];
  return [(await prefixOf(dirname(real), home)) ?? real];
}

async function prefixOf(bin: string, home: string): Promise<string | null> {
  if (!['bin', 'sbin'].includes(basename(bin))) return null;
  const prefix = dirname(bin);
  // A home folder contains `bin`, `.local/bin` and much else.
  if (isWithin(home, prefix) || prefix === join(home, '.local')) return null;
  const has = async (names: readonly string[]) => {
    const found = await Promise.all(names.map((name) => stat(join(prefix, name)).catch(() => null)));
    return found.some((one) => one !== null);
  };
  return (await has(OF_A_PREFIX)) && !(await has(OF_A_PROJECT)) ? prefix : null;
}

/** A language's toolchain below the home folder. */
interface Toolchain {
  readonly variable?: string;
  readonly folder: string;
  /**
   * The parts that are shown; absent: all. The rest is left out because it contains logins (cargo, gem, composer), or
   * because it is written to (stores, caches) and belongs in the home folder inside.
   */
  readonly parts?: readonly string[];
}

const TOOLCHAINS: readonly Toolchain[] = [
  { variable: 'NVM_DIR', folder: '.nvm' },
  { variable: 'FNM_DIR', folder: '.local/share/fnm', parts: ['node-versions', 'aliases'] },
  { folder: '.fnm', parts: ['node-versions', 'aliases'] },
  { variable: 'VOLTA_HOME', folder: '.volta', parts: ['bin', 'tools'] },
  { variable: 'N_PREFIX', folder: 'n', parts: ['bin', 'lib', 'include', 'share'] },
  { variable: 'PNPM_HOME', folder: '.local/share/pnpm', parts: ['pnpm', 'pnpx', '.tools', 'bin', 'global', 'nodejs'] },
  { variable: 'BUN_INSTALL', folder: '.bun', parts: ['bin', 'install/global'] },
  { variable: 'DENO_INSTALL', folder: '.deno', parts: ['bin'] },
  { variable: 'ASDF_DATA_DIR', folder: '.asdf' },
  { folder: '.tool-versions' },
  { variable: 'MISE_DATA_DIR', folder: '.local/share/mise', parts: ['installs', 'shims', 'plugins'] },
  { variable: 'PYENV_ROOT', folder: '.pyenv' },
  { variable: 'RBENV_ROOT', folder: '.rbenv' },
  { variable: 'JENV_ROOT', folder: '.jenv' },
  { variable: 'NODENV_ROOT', folder: '.nodenv' },
  { variable: 'GOENV_ROOT', folder: '.goenv' },
  { folder: '.rvm', parts: ['bin', 'scripts', 'rubies', 'gems', 'environments', 'wrappers', 'lib'] },
  { variable: 'SDKMAN_DIR', folder: '.sdkman', parts: ['bin', 'candidates', 'libexec', 'src', 'etc', 'var'] },
  { variable: 'RUSTUP_HOME', folder: '.rustup' },
  { variable: 'CARGO_HOME', folder: '.cargo', parts: ['bin', 'env'] },
  { variable: 'GOROOT', folder: 'sdk' },
  { variable: 'GOPATH', folder: 'go', parts: ['bin'] },
  {
    variable: 'DOTNET_ROOT',
    folder: '.dotnet',
    parts: ['dotnet', 'host', 'packs', 'sdk', 'shared', 'templates', 'tools'],
  },
  { variable: 'GHCUP_INSTALL_BASE_PREFIX', folder: '.ghcup', parts: ['bin', 'ghc', 'hls', 'share'] },
  { variable: 'OPAMROOT', folder: '.opam' },
  { variable: 'JULIAUP_DEPOT_PATH', folder: '.juliaup' },
  { variable: 'ELAN_HOME', folder: '.elan' },
  { variable: 'FLUTTER_ROOT', folder: 'flutter' },
  { variable: 'ANDROID_HOME', folder: 'Android/Sdk' },
  { variable: 'JAVA_HOME', folder: '.jdks' },
  { variable: 'UV_PYTHON_INSTALL_DIR', folder: '.local/share/uv/python' },
  { variable: 'UV_TOOL_DIR', folder: '.local/share/uv/tools' },
  { variable: 'PIPX_HOME', folder: '.local/pipx', parts: ['venvs', 'shared'] },
  { folder: '.local/share/pipx', parts: ['venvs', 'shared', 'py'] },
  { variable: 'RYE_HOME', folder: '.rye', parts: ['shims', 'py', 'tools', 'self', 'env'] },
  { variable: 'POETRY_HOME', folder: '.local/share/pypoetry', parts: ['venv', 'bin'] },
  ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', 'micromamba', '.pixi/bin', '.pixi/envs'].map((folder) => ({
    folder,
  })),
  { variable: 'PROTO_HOME', folder: '.proto', parts: ['bin', 'shims', 'tools'] },
  { variable: 'SWIFTLY_HOME_DIR', folder: '.local/share/swiftly' },
  // Packages that pip installed for the user; the programs in ~/.local/bin load them.
  { folder: '.local/lib' },
  // Browsers for tests: hundreds of megabytes, from hosts that no allow-list contains.
  { variable: 'PLAYWRIGHT_BROWSERS_PATH', folder: '.cache/ms-playwright' },
  { variable: 'PUPPETEER_CACHE_DIR', folder: '.cache/puppeteer' },
  { variable: 'CYPRESS_CACHE_FOLDER', folder: '.cache/Cypress' },
  { folder: '.nix-profile' },
  { folder: '.linuxbrew' },
];

const SHARED = ['/home/linuxbrew/.linuxbrew', '/snap'];

/** Certificate files that are not logins: a company's own authority is often in a home folder. */
const CERTIFICATES = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE'],
  ...['GIT_SSL_CAINFO', 'PIP_CERT', 'CARGO_HTTP_CAINFO', 'AWS_CA_BUNDLE'],
];

/** Where toolchains and certificates may be, present or not. Pure. */
export function toolchainPlaces(env: Env, home: string): readonly string[] {
  const roots = TOOLCHAINS.flatMap(({ variable, folder, parts }) => {
    const places = [join(home, folder), normalPath(variable && env[variable]) ?? []].flat();
    return places.flatMap((place) => (parts ? parts.map((part) => join(place, part)) : [place]));
  });
  const certificates = CERTIFICATES.flatMap((variable) => normalPath(env[variable]) ?? []);
  return [...roots, ...SHARED, ...certificates];
}

/** Parts of our own package that are used inside, or run by the loop outside: no process inside may change them. */
const PARTS = ['package.json', 'bin', 'dist', 'plugin', 'templates', 'schemas'];

/** The folders of our own package and of the packages it loads; symbolic links resolved. */
export async function ownPlaces(): Promise<readonly string[]> {
  const own = await packageFolder();
  return [...PARTS.map((part) => join(own, part)), ...(await dependencies(own, new Set()))];
}

async function dependencies(folder: string, seen: Set<string>): Promise<readonly string[]> {
  const { dependencies: wanted = {} } = JSON.parse((await readText(join(folder, 'package.json'))) ?? '{}') as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  const places: string[] = [];
  for (const name of Object.keys(wanted)) {
    const place = await installed(name, folder);
    if (place === null || seen.has(place)) continue;
    seen.add(place);
    places.push(place, ...(await dependencies(place, seen)));
  }
  return places;
}

/** Where Node would look for a package. Not resolved by Node: its `exports` may hide any file. */
async function installed(name: string, from: string): Promise<string | null> {
  for (const folder of createRequire(join(from, 'package.json')).resolve.paths(name) ?? []) {
    const found = await realPath(join(folder, name)).catch(() => null);
    if (found !== null) return found;
  }
  return null;
}
