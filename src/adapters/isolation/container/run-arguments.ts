import type { Env, Policy } from '../port.ts';
import type { Engine } from './engine.ts';

interface RunInput {
  readonly engine: Engine;
  /** The container's name; letters, digits, `_`, `.`, `-`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  /** The image is one of our skeletons: it contains only what is mounted. */
  readonly hostPrograms: boolean;
  readonly mounts: readonly string[];
  readonly environment: readonly string[];
  readonly cwd: string;
  /** The user who starts it, and thus owns the work tree. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly policy: Pick<Policy, 'memoryBytes' | 'processes' | 'cpus'>;
  /** Flags that depend on this machine: for `--ulimit` and `--security-opt seccomp`. */
  readonly restrictions: readonly string[];
  readonly added: readonly string[];
  readonly file: string;
  readonly args: readonly string[];
}

export function runArguments(input: RunInput): readonly string[] {
  const { engine, policy } = input;
  return [
    '--rm',
    '--interactive',
    ...['--pull', 'never'],
    ...['--name', input.name],
    ...Object.entries(input.labels).flatMap(([key, value]) => ['--label', `${key}=${value}`]),
    ...['--hostname', 'ralph'],
    ...['--network', 'none'],
    // Of the container's own network: the bridge may have to listen on a service's low port.
    ...['--sysctl', 'net.ipv4.ip_unprivileged_port_start=0'],
    ...['--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges'],
    // Relabelling would change the user's files; confinement by labels keeps a container from its mounts.
    ...['--security-opt', 'label=disable'],
    '--read-only',
    // The default is 64 MB, in which browsers crash.
    ...['--shm-size', '1g'],
    ...userFlags(input),
    ...limitFlags(engine, policy),
    ...input.restrictions,
    ...(engine.name === 'podman' ? podmanFlags(input) : []),
    ...engine.run,
    ...input.mounts,
    ...input.environment,
    ...['--workdir', input.cwd],
    ...input.added,
    // An entry point of the image would receive our command as arguments.
    ...['--entrypoint', input.file],
    input.image,
    ...input.args,
  ];
}

/** So that files made inside belong to the user outside, and the user's files belong to the user inside. */
function userFlags({ engine, user }: RunInput): readonly string[] {
  const { uid, gid } = user;
  if (engine.name === 'podman') return [...(engine.rootless ? ['--userns', 'keep-id'] : []), '--user', `${uid}:${gid}`];
  if (engine.rootless) return ['--user', '0:0'];
  return [...(engine.remapsUsers ? ['--userns', 'host'] : []), '--user', `${uid}:${gid}`];
}

function limitFlags({ limits }: Engine, policy: RunInput['policy']): readonly string[] {
  return [
    // Memory and swap together: a separate swap limit would double the memory.
    ...(limits.memory ? ['--memory', `${policy.memoryBytes}b`, '--memory-swap', `${policy.memoryBytes}b`] : []),
    ...(limits.processes ? ['--pids-limit', `${policy.processes}`] : []),
    ...(limits.cpus && policy.cpus !== null ? ['--cpus', `${policy.cpus}`] : []),
  ];
}

function podmanFlags({ hostPrograms }: RunInput): readonly string[] {
  return [
    // It would pass on the user's proxy, which is not reachable inside.
    '--http-proxy=false',
    '--no-hosts',
    // It would write the user into /etc/passwd, which belongs to this machine.
    ...(hostPrograms ? ['--passwd=false'] : []),
  ];
}

/** Variables that an engine's client obeys itself: it gets the user's values, not those for inside. No secrets. */
const OF_THE_CLIENT: readonly string[] = [
  ...['HOME', 'PATH', 'TMPDIR', 'USER', 'LOGNAME'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY', 'DOCKER_API_VERSION'],
  ...['CONTAINERS_CONF', 'CONTAINERS_CONF_OVERRIDE', 'CONTAINERS_STORAGE_CONF', 'CONTAINERS_REGISTRIES_CONF'],
  ...['STORAGE_DRIVER', 'STORAGE_OPTS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'GODEBUG', 'GOMAXPROCS', 'GOMEMLIMIT', 'GOGC'],
];

/** Added by `supervise` and `runCommand` when they start the client; every process inside has to carry them. */
const MARKERS = ['RALPH_RUN_ID', 'RALPH_WARDEN'];

/**
 * Passes the environment by name, its values in the client's environment: every user of a machine can read command
 * lines. Only variables that would change the client's behaviour are spelled out.
 *
 * @returns flags of `run`, and the complete environment of the client
 */
export function containerEnvironment(
  inside: Readonly<Record<string, string>>,
  person: Env,
): { readonly flags: readonly string[]; readonly client: Readonly<Record<string, string>> } {
  const client: Record<string, string> = {};
  for (const name of OF_THE_CLIENT) {
    const value = person[name];
    if (value !== undefined) client[name] = value;
  }
  const flags: string[] = [];
  for (const [name, value] of Object.entries(inside)) {
    if (MARKERS.includes(name)) continue;
    const spelledOut = OF_THE_CLIENT.includes(name);
    if (!spelledOut) client[name] = value;
    flags.push('--env', spelledOut ? `${name}=${value}` : name);
  }
  return { flags: [...flags, ...MARKERS.flatMap((name) => ['--env', name])], client };
}
