import { exists, readText } from '../../platform/index.ts';
import { installerFor } from '../../rules/isolation/index.ts';
import type { Backend, Env } from './port.ts';

/** What decides how to install or fix something here. */
export interface System {
  readonly platform: NodeJS.Platform;
  /** `ID` and `ID_LIKE` of /etc/os-release, nearest first: `ubuntu`, `debian`. */
  readonly distributions: readonly string[];
  readonly root: boolean;
  /** The version of the Windows Subsystem for Linux; null: this is not one. */
  readonly wsl: 1 | 2 | null;
  /** The evidence that this is already a container; null: there is none. */
  readonly container: string | null;
}

/** Left by container engines; some ordinary machines have them too, so they explain but never decide. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv', '/run/systemd/container'];

export async function thisSystem(env: Env, read: (path: string) => Promise<string | null> = readText): Promise<System> {
  const [release, kernel, ...marks] = await Promise.all([
    read('/etc/os-release'),
    read('/proc/version'),
    ...CONTAINER_MARKS.map((mark) => exists(mark)),
  ]);
  const mark = CONTAINER_MARKS.find((_, i) => marks[i]) ?? null;
  return {
    platform: process.platform,
    distributions: distributionsIn(release ?? ''),
    root: process.getuid?.() === 0,
    wsl: wslIn(kernel ?? ''),
    container: mark ?? (env['KUBERNETES_SERVICE_HOST'] ? 'KUBERNETES_SERVICE_HOST is set' : null),
  };
}

function distributionsIn(release: string): readonly string[] {
  const value = (name: string) => new RegExp(`^${name}=["']?([^"'\n]*)`, 'm').exec(release)?.[1] ?? '';
  return `${value('ID')} ${value('ID_LIKE')}`.split(/\s+/).filter((id) => id !== '');
}

/** Version 1 has its own kernel without namespaces; it says `Microsoft`, version 2 `microsoft-standard-WSL2`. */
function wslIn(kernel: string): System['wsl'] {
  if (/WSL2|microsoft-standard/.test(kernel)) return 2;
  return /Microsoft/.test(kernel) ? 1 : null;
}

/** Packages, where a distribution's installer needs other names than the usual ones. */
const PACKAGES: Readonly<Record<'bwrap' | 'container', { readonly usual: string; readonly apt: string }>> = {
  bwrap: { usual: 'bubblewrap', apt: 'bubblewrap' },
  container: { usual: 'podman', apt: 'podman uidmap' },
};

/** How to install a backend on this system; none for backends that no distribution packages. Pure. */
export function installWays(backend: Backend, system: System): readonly string[] {
  if (backend !== 'bwrap' && backend !== 'container') return [];
  if (system.platform !== 'linux') return [`${backend} is for Linux; on macOS: ralph run --sandbox=srt`];
  return [installCommand(backend, system)];
}

function installCommand(backend: 'bwrap' | 'container', { distributions, root }: System): string {
  const packages = PACKAGES[backend];
  if (distributions.includes('nixos')) return `nix-env -iA nixos.${packages.usual}`;
  const installer = installerFor(distributions);
  if (installer === null) return `install the package ${packages.usual} with your system's package manager`;
  const names = installer.manager === 'apt' ? packages.apt : packages.usual;
  return `${root ? '' : 'sudo '}${installer.command} ${names}`;
}

/**
 * What stands in the way of every backend here, installed or not: a container or an old WSL around this process.
 * For use when a backend was tried and failed. Pure.
 */
export function fixSurroundings({ wsl, container }: System): readonly string[] {
  if (wsl === 1) return ['WSL 1 cannot isolate; in PowerShell: wsl --set-version <distribution> 2'];
  if (container === null) return [];
  return [
    `this looks like a container (${container}): start it so that namespaces can be made inside, e.g. with --privileged or --security-opt seccomp=unconfined`,
    'use the container itself as the boundary, if only the project is in it: ralph run --no-sandbox',
  ];
}
