import type { Engine } from './engine.ts';

/** The relevant facts about this machine from an engine's `info`, and why its containers cannot see our files, if so. */
export type EngineFacts = Omit<Engine, 'name' | 'global' | 'run'> & { readonly refusal: string | null };

/** Any field may be missing: versions differ. */
interface PodmanInfo {
  readonly host?: {
    readonly cgroupControllers?: readonly string[] | null;
    readonly serviceIsRemote?: boolean;
    readonly security?: {
      readonly rootless?: boolean;
      readonly seccompEnabled?: boolean;
      readonly seccompProfilePath?: string;
    };
  };
  readonly plugins?: { readonly log?: readonly string[] };
  readonly version?: { readonly Version?: string };
}

interface DockerInfo {
  readonly ServerVersion?: string;
  readonly ServerErrors?: readonly string[];
  readonly OperatingSystem?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  /** Only Podman has it: its client may be installed under Docker's name. */
  readonly host?: object;
}

export function podmanFacts(text: string): EngineFacts {
  const { host, plugins, version } = JSON.parse(text) as PodmanInfo;
  const security = host?.security;
  // An ordinary user has the controllers that systemd delegates, and none with cgroups v1.
  const controllers = host?.cgroupControllers ?? [];
  return {
    version: version?.Version ?? 'unknown',
    rootless: security?.rootless === true,
    remapsUsers: false,
    seccompProfile: (security?.seccompEnabled && security.seccompProfilePath) || null,
    piped: ['--log-driver', plugins?.log?.includes('passthrough') ? 'passthrough' : 'none'],
    limits: {
      memory: controllers.includes('memory'),
      processes: controllers.includes('pids'),
      cpus: controllers.includes('cpu'),
    },
    refusal: host?.serviceIsRemote
      ? 'its containers run on another machine, which sees neither the files nor the sockets of this one'
      : null,
  };
}

/** Reads `docker info --format '{{json .}}'`, which the client answers even without a daemon. */
export function dockerFacts(text: string): EngineFacts {
  const info = JSON.parse(text) as DockerInfo;
  const options = (info.SecurityOptions ?? []).join(' ');
  return {
    version: info.ServerVersion || 'unknown',
    rootless: /\bname=rootless\b/.test(options),
    piped: ['--log-driver', 'none'],
    seccompProfile: null,
    remapsUsers: /\bname=userns\b/.test(options),
    limits: {
      memory: info.MemoryLimit === true,
      processes: info.PidsLimit === true,
      cpus: info.CpuCfsQuota === true,
    },
    refusal: dockerRefusal(info),
  };
}

/** Some clients give the reason on standard error instead. */
export const SILENT = 'its daemon does not answer';

function dockerRefusal(info: DockerInfo): string | null {
  if (info.host) return 'it is Podman under another name';
  const [error] = info.ServerErrors ?? [];
  if (error) return error;
  if (!info.ServerVersion) return SILENT;
  if (/docker desktop/i.test(info.OperatingSystem ?? '')) {
    return 'Docker Desktop runs containers in a virtual machine, which does not see the sockets of this one';
  }
  return null;
}

/** Why the address of a Docker daemon cannot be used; null for a socket of this machine. */
export function refuseAddress(address: string): string | null {
  if (address === '' || address.startsWith('unix://')) return null;
  return `its daemon is at ${address}: another machine sees neither the files nor the sockets of this one`;
}

const OLDEST_NODE = 20;

/** Which programs an image lacks for a run, by its inventory (image.ts): their paths, and Node's version. */
export function missingPrograms(output: string): readonly string[] {
  const lines = output.split('\n');
  const has = (program: string) => lines.some((line) => line === program || line.endsWith(`/${program}`));
  const major = Number(/^v(\d+)\./m.exec(output)?.[1] ?? 0);
  return [...(has('git') ? [] : ['git']), ...(has('node') && major >= OLDEST_NODE ? [] : [`node ≥ ${OLDEST_NODE}`])];
}
