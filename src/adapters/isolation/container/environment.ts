import type { Environment } from './engine.ts';

/** Variables that an engine's client obeys itself: it gets the person's, not those of the inside. None is a secret. */
const OF_THE_CLIENT: readonly string[] = [
  ...['HOME', 'PATH', 'TMPDIR', 'USER', 'LOGNAME'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY', 'DOCKER_API_VERSION'],
  ...['CONTAINERS_CONF', 'CONTAINERS_CONF_OVERRIDE', 'CONTAINERS_STORAGE_CONF', 'CONTAINERS_REGISTRIES_CONF'],
  ...['STORAGE_DRIVER', 'STORAGE_OPTS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'GODEBUG', 'GOMAXPROCS', 'GOMEMLIMIT', 'GOGC'],
];

/** Added by `supervise` and `runCommand` when they start the client; everything inside has to carry them. */
const MARKERS = ['RALPH_RUN_ID', 'RALPH_WARDEN'];

/** How a container gets its environment. */
export interface ContainerEnvironment {
  /** Flags of `run`. */
  readonly flags: readonly string[];
  /** Complete environment of the client. */
  readonly client: Readonly<Record<string, string>>;
}

/**
 * Passes the environment by name, its values in that of the client: command lines can be read by everybody on a
 * machine. Only variables that would change what the client does are spelled out.
 */
export function containerEnvironment(
  inside: Readonly<Record<string, string>>,
  person: Environment,
): ContainerEnvironment {
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
