import { homedir, totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { IsolationSettings } from '../../contracts/config.ts';
import { ConfigError } from '../../contracts/errors.ts';
import { endpointOf } from '../../rules/isolation/hosts.ts';
import type { InsideWorkspace, IsolationInput, OpenHome } from './port.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Something of this machine or the network that may be reached, and who asked for it. */
export interface Granted<T> {
  readonly grant: T;
  /** `agent claude`, `registry npm`, `isolation.allowHosts`. */
  readonly from: string;
}

export interface PolicySources {
  readonly settings: IsolationSettings;
  /** The person's. */
  readonly env: Env;
  readonly workspace: InsideWorkspace;
  readonly agents: readonly { readonly name: string; readonly inside: { hosts(env: Env): readonly string[] } }[];
  /** Hosts of package registries, e.g. from `registry npm`. */
  readonly registries: readonly Granted<string>[];
  readonly openHome: OpenHome;
  /** Bytes of memory of this machine. */
  readonly machineMemory?: number;
}

/** What a backend is opened with, and where each of its grants comes from. */
export interface EffectivePolicy {
  readonly input: IsolationInput;
  /** Host patterns, each once, with the first who asked. */
  readonly hosts: readonly Granted<string>[];
  readonly localPorts: readonly Granted<number>[];
}

/** Of the machine's memory, unless the settings say something else. */
const MEMORY_SHARE = 3 / 4;

/**
 * The policy of a run: what the settings grant, and what agents and registries need. A host that is this machine
 * itself (an endpoint at `localhost:8080`) becomes a local port: no proxy stands between a program and the loopback.
 */
export function isolationInput(sources: PolicySources): EffectivePolicy {
  const { settings, env, workspace, agents, registries, openHome, machineMemory = memoryOfMachine() } = sources;
  const wanted: readonly Granted<string>[] = [
    ...agents.flatMap(({ name, inside }) => inside.hosts(env).map((grant) => ({ grant, from: `agent ${name}` }))),
    ...(settings.registries ? registries : []),
    ...settings.allowHosts.map((grant) => ({ grant, from: 'isolation.allowHosts' })),
  ];
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
  const place = (path: string) => notTooMuch(resolve(workspace.root, atHome(path, env)), path, env);
  const policy = {
    hosts: hosts.map(({ grant }) => grant),
    localPorts: localPorts.map(({ grant }) => grant),
    read: settings.read.map(place),
    write: settings.write.map(place),
    memoryBytes: settings.memoryBytes ?? Math.floor(machineMemory * MEMORY_SHARE),
    processes: settings.processes,
    cpus: settings.cpus,
  };
  return { input: { workspace, policy, env, openHome, container: settings.container }, hosts, localPorts };
}

/**
 * A folder that holds the home folder would hand over what the isolation hides, and so would the kernel's own.
 * @throws ConfigError
 */
function notTooMuch(path: string, named: string, env: Env): string {
  const home = env['HOME'] || homedir();
  const holdsHome = path === '/' || home === path || home.startsWith(`${path}/`);
  if (!holdsHome && !KERNELS.some((folder) => path === folder || path.startsWith(`${folder}/`))) return path;
  throw new ConfigError({
    what: `isolation.read and isolation.write do not take '${named}'`,
    why: holdsHome
      ? 'it would hand over the whole home folder, keys and logins included'
      : 'it is the kernel of this machine',
    mend: ['name the folders that are needed, e.g. "~/datasets"', 'or run without isolation: ralph run --no-sandbox'],
  });
}

/** Folders that are no files of anybody. */
const KERNELS = ['/proc', '/sys', '/dev'];

/** The port of the egress proxy inside: `view/environment.ts`. */
const PROXY_PORT = 3128;

/** @throws ConfigError for the port that the inside needs itself */
function notTheProxy(ports: readonly Granted<number>[]): readonly Granted<number>[] {
  const taken = ports.find(({ grant }) => grant === PROXY_PORT);
  if (taken === undefined) return ports;
  throw new ConfigError({
    what: `port ${PROXY_PORT} of this machine cannot be shared with the inside`,
    where: taken.from,
    why: 'the proxy to the allowed hosts listens there inside',
    mend: ['let the service listen on another port'],
  });
}

/** Port of a host pattern that means this machine; null for every other. */
function localPort(pattern: string): number | null {
  const endpoint = pattern.includes('*') ? null : endpointOf(`http://${pattern}`);
  return endpoint?.kind === 'local' ? endpoint.port : null;
}

function onceEach<T>(granted: readonly Granted<T>[]): readonly Granted<T>[] {
  return granted.filter(({ grant }, i) => granted.findIndex((other) => other.grant === grant) === i);
}

function atHome(path: string, env: Env): string {
  const home = env['HOME'] || homedir();
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}

/** What this process may use: a container's limit counts as the machine's. */
function memoryOfMachine(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
