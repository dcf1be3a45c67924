import { join } from 'node:path';
import { normalPath } from './paths.ts';

/** A language's toolchain below the home folder. */
interface Toolchain {
  /** Variable that names another place. */
  readonly variable?: string;
  /** Its usual place, below the home folder. */
  readonly folder: string;
  /**
   * What of it is shown; absent: all. The rest is left out because it holds logins (cargo, gem, composer), or because
   * it is written to (stores, caches) and belongs into the home folder inside.
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
  // What pip installed for the person; the programs in ~/.local/bin load it.
  { folder: '.local/lib' },
  // Browsers for tests: hundreds of megabytes, from hosts that nobody has on a list.
  { variable: 'PLAYWRIGHT_BROWSERS_PATH', folder: '.cache/ms-playwright' },
  { variable: 'PUPPETEER_CACHE_DIR', folder: '.cache/puppeteer' },
  { variable: 'CYPRESS_CACHE_FOLDER', folder: '.cache/Cypress' },
  { folder: '.nix-profile' },
  { folder: '.linuxbrew' },
];

/** Of all users together. */
const SHARED = ['/home/linuxbrew/.linuxbrew', '/snap'];

/** Files with certificates that are no logins: a company's own authority often lies in a home folder. */
const CERTIFICATES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
  'CARGO_HTTP_CAINFO',
  'AWS_CA_BUNDLE',
];

/** Where toolchains and certificates may be, whether anything is there or not. Pure. */
export function toolchainPlaces(env: Readonly<Record<string, string | undefined>>, home: string): readonly string[] {
  const roots = TOOLCHAINS.flatMap(({ variable, folder, parts }) => {
    const places = [join(home, folder), normalPath(variable && env[variable]) ?? []].flat();
    return places.flatMap((place) => (parts ? parts.map((part) => join(place, part)) : [place]));
  });
  const certificates = CERTIFICATES.flatMap((variable) => normalPath(env[variable]) ?? []);
  return [...roots, ...SHARED, ...certificates];
}
