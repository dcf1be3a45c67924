import { fieldsOf } from '../../contracts/index.ts';
import { textOf } from '../project-checks/index.ts';
import { words } from '../text/index.ts';
import { type Family, type Folder, type Found, isMember } from './folder.ts';

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** In order of precedence, for when several exist and `packageManager` names none of them. */
const LOCKS: readonly (readonly [Manager, readonly string[]])[] = [
  ['pnpm', ['pnpm-lock.yaml']],
  ['bun', ['bun.lock', 'bun.lockb']],
  ['yarn', ['yarn.lock']],
  ['npm', ['package-lock.json', 'npm-shrinkwrap.json']],
];

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
/** Scripts that an install runs. */
const LIFECYCLE = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'];

/** The package manager in the version that the project names: checks need the same one, without the network. */
const OWN_VERSION = { COREPACK_HOME: '{deps}/corepack', COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' };
/** A set-up must not install git hooks. */
const NO_HOOKS = { HUSKY: '0', LEFTHOOK: '0' };

export const NODE: Family = {
  own: [
    ...LOCKS.flatMap(([, names]) => names),
    ...words('package.json pnpm-workspace.yaml .pnpmfile.cjs .pnpmfile.mjs .pnp.cjs bunfig.toml'),
    ...words('patches/*.patch .yarn/patches/*.patch .yarn/releases/* .yarn/plugins/*/*'),
    ...words('node_modules/.package-lock.json node_modules/*/package.json'),
  ],
  upward: words('.npmrc .yarnrc .yarnrc.yml .nvmrc .node-version .tool-versions mise.toml .mise.toml'),
  members: ['package.json'],
  find(folder) {
    if (!folder.has('package.json')) return null;
    // Packages that the project keeps in git already exist.
    if (folder.has('node_modules/.package-lock.json', 'node_modules/*/package.json')) return null;
    const manifest = folder.json('package.json');
    const workspaces = workspacesOf(folder, manifest);
    const lock = LOCKS.some(([, names]) => folder.has(...names));
    const needs = DEPENDENCIES.some((kind) => Object.keys(fieldsOf(manifest[kind])).length > 0);
    if (!lock && !needs && workspaces.length === 0) return null;
    return {
      ...install(folder, manifest),
      extra: [...scriptFiles(manifest), ...localPackages(manifest)],
      installsFor: (below) => isMember(workspaces, below),
    };
  },
};

function managerOf(folder: Folder, manifest: Readonly<Record<string, unknown>>): Manager {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(textOf(manifest['packageManager']))?.[1] as Manager | undefined;
  if (named !== undefined) return named;
  const locked = LOCKS.find(([, names]) => folder.has(...names))?.[0];
  if (locked !== undefined) return locked;
  if (folder.has('pnpm-workspace.yaml')) return 'pnpm';
  return folder.has('.yarnrc.yml') ? 'yarn' : 'npm';
}

/** Without a lock file the newest versions are installed, and no lock is written: otherwise no check could run. */
function install(folder: Folder, manifest: Readonly<Record<string, unknown>>): Found {
  const tool = managerOf(folder, manifest);
  const locked = LOCKS.some(([manager, names]) => manager === tool && folder.has(...names));
  const found = INSTALLS[tool](locked, folder, manifest);
  return { tool, locked, ...found, setUpEnv: { ...found.setUpEnv, ...NO_HOOKS } };
}

type Install = Pick<Found, 'command' | 'env' | 'setUpEnv'>;

const INSTALLS: Readonly<
  Record<Manager, (locked: boolean, folder: Folder, manifest: Readonly<Record<string, unknown>>) => Install>
> = {
  npm: (locked) => ({
    command: `npm ${locked ? 'ci' : 'install --no-package-lock'} --no-audit --no-fund`,
    env: OWN_VERSION,
    setUpEnv: {
      npm_config_cache: '{cache}/npm',
      npm_config_prefer_offline: 'true',
      npm_config_update_notifier: 'false',
    },
  }),
  pnpm: (locked) => ({
    command: `pnpm install ${locked ? '--frozen-lockfile' : '--no-lockfile'} --prefer-offline`,
    // Checks do not install.
    env: { ...OWN_VERSION, PNPM_HOME: '{deps}/pnpm', ...pnpmConfig({ verify_deps_before_run: 'false' }) },
    setUpEnv: {
      ...pnpmConfig({
        store_dir: '{cache}/pnpm',
        cache_dir: '{cache}/pnpm-metadata',
        // No file in the room may be a hard link to one in the store.
        package_import_method: 'clone-or-copy',
      }),
      CI: 'true',
    },
  }),
  yarn: (locked, folder, manifest) => (isLaterYarn(folder, manifest) ? laterYarn(folder, locked) : firstYarn(locked)),
  bun: (locked) => ({
    command: `bun install ${locked ? '--frozen-lockfile' : '--no-save'} --backend=copyfile --no-progress`,
    setUpEnv: { BUN_INSTALL_CACHE_DIR: '{cache}/bun' },
  }),
};

/** Before version 11, pnpm reads `npm_config_…`; since then, `pnpm_config_…`. */
function pnpmConfig(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => [
      [`npm_config_${name}`, value],
      [`pnpm_config_${name}`, value],
    ]),
  );
}

function firstYarn(locked: boolean): Install {
  const lock = locked ? '--frozen-lockfile' : '--no-lockfile';
  return {
    command: `yarn install ${lock} --non-interactive --prefer-offline --no-progress`,
    env: OWN_VERSION,
    setUpEnv: { YARN_CACHE_FOLDER: '{cache}/yarn' },
  };
}

/** Yarn 2 and later. With Plug'n'Play the checks read packages from the archives, so these belong in the room. */
function laterYarn(folder: Folder, locked: boolean): Install {
  const linked = /^nodeLinker:\s*["']?(?:node-modules|pnpm)\b/m.test(folder.text('.yarnrc.yml'));
  return {
    command: `yarn install ${locked ? '--immutable' : '--no-immutable'}`,
    env: { ...OWN_VERSION, YARN_ENABLE_TELEMETRY: '0', ...(linked ? {} : { YARN_GLOBAL_FOLDER: '{deps}/yarn' }) },
    setUpEnv: {
      YARN_ENABLE_PROGRESS_BARS: 'false',
      ...(linked ? { YARN_GLOBAL_FOLDER: '{cache}/yarn-later', YARN_NM_MODE: 'classic' } : {}),
    },
  };
}

function isLaterYarn(folder: Folder, manifest: Readonly<Record<string, unknown>>): boolean {
  const named = /^yarn@(\d)/.exec(textOf(manifest['packageManager']))?.[1];
  if (named !== undefined) return named !== '1';
  return folder.has('.yarnrc.yml', '.pnp.cjs') || /^__metadata:/m.test(folder.text('yarn.lock'));
}

function workspacesOf(folder: Folder, manifest: Readonly<Record<string, unknown>>): readonly string[] {
  const value = manifest['workspaces'];
  const named = Array.isArray(value) ? value : fieldsOf(value)['packages'];
  const list = /^packages:[ \t]*\r?\n((?:[ \t]*(?:-[^\n]*|#[^\n]*)?\r?\n?)*)/m.exec(folder.text('pnpm-workspace.yaml'));
  const written = [...(list?.[1] ?? '').matchAll(/^[ \t]*-[ \t]*["']?([^"'#\n]+)/gm)].map(([, one = '']) => one.trim());
  return [...(Array.isArray(named) ? named : []).map(textOf), ...written];
}

/** Files in the tree that the install scripts name. */
function scriptFiles(manifest: Readonly<Record<string, unknown>>): readonly string[] {
  const scripts = fieldsOf(manifest['scripts']);
  const text = LIFECYCLE.map((name) => textOf(scripts[name])).join(' ');
  const named = text.split(/[\s"'`;&|()=]+/).filter((word) => /^[\w@][\w@./-]*\.\w+$|^\.{1,2}\/[\w@./-]+$/.test(word));
  return /\bprisma generate\b/.test(text) ? [...named, 'prisma/schema.prisma'] : named;
}

/** Packages inside the tree: `file:../shared`. */
function localPackages(manifest: Readonly<Record<string, unknown>>): readonly string[] {
  const versions = DEPENDENCIES.flatMap((kind) => Object.values(fieldsOf(manifest[kind])).map(textOf));
  const paths = versions.map((version) => /^(?:file|link|portal):(?!\/)(.+)$/.exec(version)?.[1]);
  return paths
    .filter((path) => path !== undefined)
    .map((path) => (/\.(?:tgz|tar\.gz)$/.test(path) ? path : `${path}/package.json`));
}
