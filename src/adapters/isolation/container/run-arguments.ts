import { isWithin } from '../../../platform/index.ts';
import type { Env, Policy } from '../port.ts';
import type { ViewEntry } from '../view/entry.ts';
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

/** What the image itself must contain: an engine mounts folders and files, but creates no links. */
export interface Skeleton {
  readonly folders: readonly string[];
  /** Folders under an in-memory mount that every user may write to: it takes the mode of the folder it covers. */
  readonly temporary: readonly string[];
  readonly links: ReadonlyMap<string, string>;
}

interface Covers {
  /** An empty file and an empty folder, for paths that must not be read. */
  readonly file: string;
  readonly folder: string;
  readonly memoryBytes: number;
}

/**
 * Renders a view into arguments of `run`. Engines order mounts by depth and refuse two at one place, so an entry that a
 * later one covers is left out. Parents come before their content.
 *
 * @param covers what is mounted over the host's files
 * @param mountPoints where file systems are mounted on the host: an engine binds them too, but writable
 */
export function renderView(view: readonly ViewEntry[], covers: Covers, mountPoints: readonly string[]) {
  const seen = uncovered(withMountPoints(view, mountPoints));
  const mounted = seen.filter(({ kind }) => kind !== 'link' && kind !== 'folder');
  const ofImage = seen.filter((entry) => !mounted.some(({ at }) => isBelow(entry.at, at)));
  const placesOf = (kind: ViewEntry['kind']) => ofImage.flatMap((entry) => (entry.kind === kind ? [entry.at] : []));
  return {
    flags: mounted.flatMap((entry) => flagsOf(entry, covers)),
    skeleton: {
      folders: placesOf('folder'),
      temporary: placesOf('empty'),
      links: new Map(ofImage.flatMap((entry) => (entry.kind === 'link' ? [[entry.at, entry.target] as const] : []))),
    },
  };
}

/** The fifth column of /proc/self/mountinfo, in which blanks are written in octal. */
export function parseMountPoints(table: string): readonly string[] {
  const columns = table.split('\n').map((line) => line.split(' ')[4] ?? '');
  const points = columns.map((path) =>
    path.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
  return [...new Set(points)].filter((path) => path !== '' && path !== '/');
}

/** Entries that no later one covers, parents first. */
function uncovered(view: readonly ViewEntry[]): readonly ViewEntry[] {
  const kept: ViewEntry[] = [];
  for (const entry of [...view].reverse()) {
    if (!kept.some(({ at, kind }) => at === entry.at || (kind !== 'folder' && isBelow(entry.at, at)))) kept.push(entry);
  }
  return kept.reverse().sort((a, b) => depth(a.at) - depth(b.at));
}

/** Adds, right after a read-only folder, the file systems mounted below it, also read-only. */
function withMountPoints(view: readonly ViewEntry[], mountPoints: readonly string[]): readonly ViewEntry[] {
  return view.flatMap((entry) => {
    if (entry.kind !== 'read') return [entry];
    const below = mountPoints.filter((point) => isBelow(point, entry.from));
    return [entry, ...below.map((from) => ({ ...entry, from, at: `${entry.at}${from.slice(entry.from.length)}` }))];
  });
}

function flagsOf(entry: ViewEntry, covers: Covers): readonly string[] {
  switch (entry.kind) {
    case 'read':
      return bind(entry.from, entry.at, true);
    case 'write':
      return bind(entry.from, entry.at, false);
    case 'mask':
      return bind(covers[entry.of], entry.at, true);
    case 'empty':
      // Docker forbids execution there by default.
      return ['--tmpfs', `${entry.at}:rw,exec,mode=1777,size=${covers.memoryBytes}`];
    default:
      return [];
  }
}

function bind(from: string, at: string, readOnly: boolean): readonly string[] {
  const fields = ['type=bind', `source=${from}`, `target=${at}`, ...(readOnly ? ['readonly'] : [])];
  return ['--mount', fields.map(csvField).join(',')];
}

/** `--mount` takes a line of CSV, so a path may contain any character; `-v` fails on a colon. */
function csvField(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && isWithin(path, folder);
}

function depth(path: string): number {
  return path.split('/').length;
}
