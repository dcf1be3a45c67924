import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError, type IsolationSettings } from '../../contracts/index.ts';
import { list, readText, stat } from '../../platform/index.ts';
import { endpointOf, namesFile, REGISTRY_FILES } from '../../rules/isolation/index.ts';
import { usersHome } from './home/store.ts';
import { lend } from './lend.ts';
import type { Env, InsideWorkspace, IsolationInput, OpenHome, Provider } from './port.ts';
import { CREDENTIALS_PORT, PROXY_PORT } from './view/environment.ts';

/** Something on this machine or the network that may be reached, and the source of the grant. */
export interface Granted<T> {
  readonly grant: T;
  /** `agent claude`, `registry npm`, `isolation.allowHosts`. */
  readonly from: string;
}

interface PolicySources {
  readonly settings: IsolationSettings;
  readonly env: Env;
  readonly workspace: InsideWorkspace;
  readonly agents: readonly {
    readonly name: string;
    /** Variables of this agent only, which override `env`. */
    readonly own?: Env;
    readonly inside: { hosts(env: Env): readonly string[] };
    /** Whose credentials are lent to it. */
    readonly providers?: readonly Provider[];
  }[];
  /** Hosts of package registries, e.g. from `registry npm`. */
  readonly registries: readonly Granted<string>[];
  readonly openHome: OpenHome;
  readonly machineMemory?: number;
}

/** A backend's input, and where each grant comes from. */
export interface EffectivePolicy {
  readonly input: IsolationInput;
  /** Host patterns, each once, with the first source that asked for it. */
  readonly hosts: readonly Granted<string>[];
  readonly localPorts: readonly Granted<number>[];
}

/** Processes and threads of one sandbox: more than any build needs, fewer than a fork bomb makes. */
const MOST_PROCESSES = 4096;
/** Share of the machine's memory, unless the settings say otherwise. */
const MEMORY_SHARE = 3 / 4;

/**
 * The policy of a run: the grants of the settings, and the needs of agents and registries. A host that is this machine
 * itself (an endpoint at `localhost:8080`) becomes a local port: no proxy stands between a program and the loopback.
 */
export function isolationInput(sources: PolicySources): EffectivePolicy {
  const { settings, env, workspace, agents, registries, openHome, machineMemory = memoryOfMachine() } = sources;
  const seen = agents.map(({ name, inside, own, providers = [] }) => {
    const its = { ...env, ...own };
    const hosts = inside.hosts(its);
    const lending = providers.flatMap((provider) => {
      const lent = lend(name, provider, its);
      return lent ? [{ lent, hosts: provider.hosts ?? hosts }] : [];
    });
    return {
      from: `agent ${name}`,
      hosts,
      lent: lending.map(({ lent }) => lent),
      withheld: lending.flatMap((one) => one.hosts),
    };
  });
  /** What agents need: with their key, or only where they reach the provider themselves. */
  const ofAgents = (isWithheld: boolean): readonly Granted<string>[] =>
    seen.flatMap(({ from, hosts, withheld }) =>
      hosts.filter((grant) => withheld.includes(grant) === isWithheld).map((grant) => ({ grant, from })),
    );
  const open: readonly Granted<string>[] = [
    ...(settings.registries ? registries : []),
    ...settings.allowHosts.map((grant) => ({ grant, from: 'isolation.allowHosts' })),
    ...ofAgents(false),
  ];
  const wanted = [...open, ...ofAgents(true)];
  const hosts = onceEach(wanted.filter(({ grant }) => localPort(grant) === null));
  const localPorts = notTheProxy(
    onceEach([
      ...settings.localPorts.map((grant) => ({ grant, from: 'isolation.localPorts' })),
      ...wanted.flatMap(({ grant, from }) => {
        const port = localPort(grant);
        return port === null ? [] : [{ grant: port, from }];
      }),
    ]),
  );
  const isOpen = new Set(open.map(({ grant }) => grant));
  const isOpenPort = new Set([...settings.localPorts, ...open.map(({ grant }) => localPort(grant))]);
  const lending = {
    lent: seen.flatMap(({ lent }) => lent),
    hosts: hosts.flatMap(({ grant }) => (isOpen.has(grant) ? [] : [grant])),
    localPorts: localPorts.flatMap(({ grant }) => (isOpenPort.has(grant) ? [] : [grant])),
  };
  const place = (path: string) => notTooMuch(resolve(workspace.root, atHome(path, env)), path, env);
  const policy = {
    hosts: hosts.map(({ grant }) => grant),
    localPorts: localPorts.map(({ grant }) => grant),
    lending,
    read: settings.read.map(place),
    write: settings.write.map(place),
    memoryBytes: settings.memoryBytes ?? Math.floor(machineMemory * MEMORY_SHARE),
    processes: MOST_PROCESSES,
    cpus: settings.cpus,
  };
  return { input: { workspace, policy, env, openHome, container: settings.container }, hosts, localPorts };
}

/**
 * A folder that contains the home folder would expose what the isolation hides, and so would the kernel's own folders.
 * @throws ConfigError
 */
function notTooMuch(path: string, named: string, env: Env): string {
  const home = usersHome(env);
  const holdsHome = path === '/' || home === path || home.startsWith(`${path}/`);
  if (!holdsHome && !KERNELS.some((folder) => path === folder || path.startsWith(`${folder}/`))) return path;
  throw new ConfigError({
    what: `isolation.read and isolation.write do not take '${named}'`,
    why: holdsHome
      ? 'it would expose the whole home folder, including keys and logins'
      : 'it is the kernel of this machine',
    fix: ['name the folders that are needed, e.g. "~/datasets"', 'or run without isolation: ralph run --no-sandbox'],
  });
}

const KERNELS = ['/proc', '/sys', '/dev'];

/** @throws ConfigError for the port that the proxy inside needs */
function notTheProxy(ports: readonly Granted<number>[]): readonly Granted<number>[] {
  const taken = ports.find(({ grant }) => grant === PROXY_PORT || grant === CREDENTIALS_PORT);
  if (taken === undefined) return ports;
  throw new ConfigError({
    what: `port ${taken.grant} of this machine cannot be shared with the sandbox`,
    where: taken.from,
    why: 'ralph itself uses this port inside the sandbox',
    fix: ['let the service listen on another port'],
  });
}

/** Port of a host pattern for this machine; null for any other pattern. */
function localPort(pattern: string): number | null {
  const endpoint = pattern.includes('*') ? null : endpointOf(`http://${pattern}`);
  return endpoint?.kind === 'local' ? endpoint.port : null;
}

function onceEach<T>(granted: readonly Granted<T>[]): readonly Granted<T>[] {
  return granted.filter(({ grant }, i) => granted.findIndex((other) => other.grant === grant) === i);
}

function atHome(path: string, env: Env): string {
  const home = usersHome(env);
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}

/** What this process may use: a container's limit counts as the machine's memory. */
function memoryOfMachine(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Lock files of large projects have some megabytes; larger files are skipped. */
const FILE_BYTES = 8 * 1024 * 1024;
const ALL_BYTES = 48 * 1024 * 1024;

/** In a larger project, the first by name are enough. */
const FOLDERS = 400;

/** Folders below the root: `apps/web` is at the second level. */
const LEVELS = 2;

/** Folders with third-party packages or build output. */
const PASSED_OVER: readonly string[] = [
  ...['node_modules', 'vendor', 'target', 'dist', 'build', 'out', 'venv', 'bower_components', 'Pods'],
];

/** Folders whose files are named with the folder. */
const SUBFOLDERS: readonly string[] = [
  ...new Set(REGISTRY_FILES.filter((name) => name.includes('/')).map((name) => name.slice(0, name.lastIndexOf('/')))),
];

/**
 * The files that show which package registries a project uses: text by path below `root`, from the root and its
 * workspace folders. Links are not followed. Reads the current files, which an agent may have written.
 */
export async function readRegistryFiles(root: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  let left = ALL_BYTES;
  for (const folder of await foldersOf(root)) {
    for (const place of [folder, ...SUBFOLDERS.map((name) => join(folder, name))]) {
      for (const name of await list(join(root, place))) {
        const path = join(place, name);
        if (!namesFile(REGISTRY_FILES, path)) continue;
        const facts = await stat(join(root, path));
        if (facts?.kind !== 'file' || facts.size > Math.min(FILE_BYTES, left)) continue;
        found[path] = (await readText(join(root, path))) ?? '';
        left -= facts.size;
      }
    }
  }
  return found;
}

/** The root, as `''`, and the folders below it, level by level. */
async function foldersOf(root: string): Promise<readonly string[]> {
  const folders = [''];
  let level = folders.slice();
  for (let depth = 0; depth < LEVELS; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      for (const name of await list(join(root, folder))) {
        if (folders.length + next.length >= FOLDERS) break;
        if (name.startsWith('.') || PASSED_OVER.includes(name)) continue;
        if ((await stat(join(root, folder, name)))?.kind === 'dir') next.push(join(folder, name));
      }
    }
    folders.push(...next);
    level = next;
  }
  return folders;
}
