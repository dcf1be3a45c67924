import type { System } from '../../adapters/isolation/index.ts';
import {
  BrokenRepository,
  ConfigError,
  type Env,
  FileProblemsError,
  GitError,
  RalphError,
} from '../../contracts/index.ts';
import { installerFor, type PackageManager } from '../../rules/isolation/index.ts';
import { fileTrouble } from '../shared/file-trouble.ts';

export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly more?: readonly string[];
  readonly fix: readonly string[];
  /**
   * `place`: the machine or the project; `agent`: the one that would do the work. They end with different exit codes.
   */
  readonly concerns: 'place' | 'agent';
}

export function findingOf(
  name: string,
  state: Finding['state'],
  detail: string,
  fix: readonly string[] = [],
  rest: Partial<Finding> = {},
): Finding {
  return { name, state, detail, fix, concerns: 'place', ...rest };
}

/** Tries something; a refusal or a file system error becomes the finding. Bugs pass through. */
export async function look<T>(
  name: string,
  attempt: () => Promise<T>,
  detail: (found: T) => string,
  concerns: Finding['concerns'] = 'place',
): Promise<readonly [T | null, Finding]> {
  try {
    const found = await attempt();
    return [found, findingOf(name, 'ok', detail(found), [], { concerns })];
  } catch (thrown) {
    const error = fileTrouble(thrown) ?? thrown;
    if (!(error instanceof RalphError)) throw error;
    const { fix = [] } = error.facts;
    const ways = error instanceof FileProblemsError ? ['ralph validate'] : fix.map(commandIn);
    return [null, findingOf(name, 'failed', said(error), ways, { concerns })];
  }
}

/** The findings of a part; when it cannot be examined, that is the one finding. */
export async function lookThrough(
  name: string,
  attempt: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const [found, failed] = await look(name, attempt, () => '');
  return found ?? [failed];
}

/** Errors whose reason varies. */
const DIFFERS = [GitError, ConfigError, BrokenRepository];

/** What and where; the reason too where it varies. */
function said(error: RalphError): string {
  const { what, where, why } = error.facts;
  const line = where ? `${what} (${where})` : what;
  if (error instanceof FileProblemsError) {
    const first = error.problems.find(({ severity }) => severity === 'error') ?? error.problems[0];
    return first ? `${line}: ${first.file}:${first.line}: ${first.message}` : line;
  }
  return why && DIFFERS.some((kind) => error instanceof kind) ? `${line}: ${why}` : line;
}

/** The bare command of a fix that begins with one, to be copied. */
function commandIn(way: string): string {
  return /^`([^`]+)`/.exec(way)?.[1] ?? way;
}

type Manager = PackageManager | 'brew';
type Packages = string | ({ readonly any: string } & Readonly<Partial<Record<Manager, string>>>);

/** Programs that distributions package, with the package name where it differs. */
const PACKAGES: Readonly<Record<string, Packages>> = {
  autoconf: 'autoconf',
  bash: 'bash',
  bats: { any: 'bats', brew: 'bats-core', pacman: 'bash-bats' },
  bundle: { any: 'ruby-bundler', brew: 'ruby', dnf: 'rubygem-bundler', zypper: 'ruby' },
  cargo: { any: 'cargo', pacman: 'rust', brew: 'rust' },
  clang: 'clang',
  cmake: 'cmake',
  composer: 'composer',
  ctest: 'cmake',
  curl: 'curl',
  docker: { any: 'docker', apt: 'docker.io' },
  flake8: { any: 'flake8', apt: 'python3-flake8', dnf: 'python3-flake8', apk: 'py3-flake8', zypper: 'python3-flake8' },
  'g++': { any: 'gcc-c++', apt: 'g++', apk: 'g++', pacman: 'gcc', xbps: 'gcc', brew: 'gcc' },
  gcc: 'gcc',
  gh: { any: 'gh', pacman: 'github-cli', apk: 'github-cli' },
  git: 'git',
  'git-lfs': 'git-lfs',
  go: { any: 'go', apt: 'golang', dnf: 'golang' },
  gradle: 'gradle',
  java: { any: 'java-latest-openjdk', apt: 'default-jdk', pacman: 'jdk-openjdk', apk: 'openjdk21', brew: 'openjdk' },
  jq: 'jq',
  just: 'just',
  make: 'make',
  meson: 'meson',
  mvn: 'maven',
  mypy: { any: 'mypy', apk: 'py3-mypy' },
  ninja: { any: 'ninja-build', pacman: 'ninja', zypper: 'ninja', xbps: 'ninja', brew: 'ninja' },
  perl: 'perl',
  php: 'php',
  pip: { any: 'python3-pip', pacman: 'python-pip', apk: 'py3-pip', brew: 'python' },
  'pre-commit': 'pre-commit',
  prove: { any: 'perl', apk: 'perl-utils', dnf: 'perl-Test-Harness' },
  pytest: {
    any: 'python3-pytest',
    pacman: 'python-pytest',
    apk: 'py3-pytest',
    brew: 'pytest',
  },
  python: { any: 'python3', apt: 'python-is-python3', pacman: 'python', brew: 'python' },
  python3: { any: 'python3', pacman: 'python', brew: 'python' },
  ruby: 'ruby',
  rustc: { any: 'rust', apt: 'rustc' },
  shellcheck: { any: 'shellcheck', dnf: 'ShellCheck', zypper: 'ShellCheck' },
  tox: { any: 'tox', pacman: 'python-tox', apk: 'py3-tox' },
  xmllint: { any: 'libxml2', apt: 'libxml2-utils', apk: 'libxml2-utils', zypper: 'libxml2-tools' },
};

/** Programs installed another way, the same on every system. */
const OTHERWISE: Readonly<Record<string, string>> = {
  bun: 'install bun: https://bun.sh/docs/installation',
  corepack: 'npm install -g corepack',
  deno: 'install deno: https://docs.deno.com/runtime/getting_started/installation/',
  dotnet: 'install .NET: https://dotnet.microsoft.com/download',
  'golangci-lint': 'install golangci-lint: https://golangci-lint.run/welcome/install/',
  lefthook: 'npm install -g lefthook',
  npm: 'install Node 22, which brings npm: https://nodejs.org/en/download',
  npx: 'install Node 22, which brings npx: https://nodejs.org/en/download',
  node: 'install Node 22: https://nodejs.org/en/download',
  pnpm: 'npm install -g pnpm',
  poetry: 'pipx install poetry',
  ruff: 'pipx install ruff',
  uv: 'pipx install uv',
  yarn: 'npm install -g yarn',
};

/** The command that installs a program here; null for an unknown program: a guess may name anything. Pure. */
export function knownInstallLine(program: string, { platform, distributions, root }: System): string | null {
  if (Object.hasOwn(OTHERWISE, program)) return OTHERWISE[program] ?? null;
  const packages = Object.hasOwn(PACKAGES, program) ? PACKAGES[program] : undefined;
  if (packages === undefined) return null;
  const named = (manager?: Manager) =>
    typeof packages === 'string' ? packages : ((manager && packages[manager]) ?? packages.any);
  if (platform === 'darwin') return `brew install ${named('brew')}`;
  const installer = installerFor(distributions);
  if (installer === null) return `install ${named()} with your system's package manager`;
  return `${root ? '' : 'sudo '}${installer.command} ${named(installer.manager)}`;
}

/** The same, with a general phrase for an unknown program. Pure. */
export function installLine(program: string, system: System): string {
  return knownInstallLine(program, system) ?? `install ${program}`;
}

/** How to get a Node that is new enough: distributions have old ones. Pure. */
export function nodeLine(env: Env, { platform }: System): string {
  const managers = { FNM_DIR: 'fnm install 22', VOLTA_HOME: 'volta install node@22', NVM_DIR: 'nvm install 22' };
  const found = Object.entries(managers).find(([variable]) => env[variable]);
  if (found) return found[1];
  return platform === 'darwin' ? 'brew install node' : 'install Node 22: https://nodejs.org/en/download';
}
