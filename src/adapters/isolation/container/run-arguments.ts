import type { Policy } from '../port.ts';
import type { Engine } from './engine.ts';

/** One container. */
export interface RunInput {
  readonly engine: Engine;
  /** Of the container; letters, digits, `_`, `.`, `-`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  /** The image is a skeleton of ours: what is mounted is all there is. */
  readonly hostPrograms: boolean;
  /** Flags of what it sees, and of its environment. */
  readonly mounts: readonly string[];
  readonly environment: readonly string[];
  readonly cwd: string;
  /** Who starts it, and thus owns the work tree. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly policy: Pick<Policy, 'memoryBytes' | 'processes' | 'cpus'>;
  /** Flags that depend on this machine: of `--ulimit`, and of `--security-opt seccomp`. */
  readonly restrictions: readonly string[];
  /** Arguments that the person added. */
  readonly added: readonly string[];
  readonly file: string;
  readonly args: readonly string[];
}

/** The arguments of `run` for one command in a container of its own. */
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
    // Of its own network: the bridge may have to listen on the low port of a service.
    ...['--sysctl', 'net.ipv4.ip_unprivileged_port_start=0'],
    ...['--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges'],
    // Relabelling would change the person's files; confinement by labels keeps a container from what is mounted.
    ...['--security-opt', 'label=disable'],
    '--read-only',
    // 64 MB by default, in which browsers crash.
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
    // An entry point of the image would be given our command as arguments.
    ...['--entrypoint', input.file],
    input.image,
    ...input.args,
  ];
}

/** So that files made inside belong to the person outside, and the person's are theirs inside. */
function userFlags({ engine, user }: RunInput): readonly string[] {
  const { uid, gid } = user;
  if (engine.name === 'podman') return [...(engine.rootless ? ['--userns', 'keep-id'] : []), '--user', `${uid}:${gid}`];
  if (engine.rootless) return ['--user', '0:0'];
  return [...(engine.remapsUsers ? ['--userns', 'host'] : []), '--user', `${uid}:${gid}`];
}

function limitFlags({ limits }: Engine, policy: RunInput['policy']): readonly string[] {
  return [
    // Memory and swap together: swap would be a second helping.
    ...(limits.memory ? ['--memory', `${policy.memoryBytes}b`, '--memory-swap', `${policy.memoryBytes}b`] : []),
    ...(limits.processes ? ['--pids-limit', `${policy.processes}`] : []),
    ...(limits.cpus && policy.cpus !== null ? ['--cpus', `${policy.cpus}`] : []),
  ];
}

function podmanFlags({ hostPrograms }: RunInput): readonly string[] {
  return [
    // It passes the person's proxy on, which is not reachable inside.
    '--http-proxy=false',
    '--no-hosts',
    // It would write the user into /etc/passwd, which is this machine's own.
    ...(hostPrograms ? ['--passwd=false'] : []),
  ];
}
