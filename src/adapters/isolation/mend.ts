import { installerFor } from '../../rules/installers.ts';
import type { Backend } from './port.ts';
import type { System } from './system.ts';

/** Packages, where a distribution's installer needs others than the usual ones. */
const PACKAGES: Readonly<Record<'bwrap' | 'container', { readonly usual: string; readonly apt: string }>> = {
  bwrap: { usual: 'bubblewrap', apt: 'bubblewrap' },
  container: { usual: 'podman', apt: 'podman uidmap' },
};

/** How to get a backend on this system; none for those that are no package of a distribution. Pure. */
export function installWays(backend: Backend, system: System): readonly string[] {
  if (backend !== 'bwrap' && backend !== 'container') return [];
  if (system.platform !== 'linux') return [`${backend} is for Linux; on macOS: ralph run --sandbox=srt`];
  return [installCommand(backend, system)];
}

/** `sudo apt-get install bubblewrap`. Pure. */
function installCommand(backend: 'bwrap' | 'container', { distributions, root }: System): string {
  const packages = PACKAGES[backend];
  if (distributions.includes('nixos')) return `nix-env -iA nixos.${packages.usual}`;
  const installer = installerFor(distributions);
  if (installer === null) return `install the package ${packages.usual} with your system's package manager`;
  const names = installer.manager === 'apt' ? packages.apt : packages.usual;
  return `${root ? '' : 'sudo '}${installer.command} ${names}`;
}

/**
 * What stands in the way of every backend here, whatever is installed: a container or an old WSL around us.
 * For where a backend was tried and failed. Pure.
 */
export function mendSurroundings({ wsl, container }: System): readonly string[] {
  if (wsl === 1) return ['WSL 1 cannot isolate; in PowerShell: wsl --set-version <distribution> 2'];
  if (container === null) return [];
  return [
    `this looks like a container (${container}): start it so that namespaces can be made inside, e.g. with --privileged or --security-opt seccomp=unconfined`,
    'take the container itself for the boundary, when nothing but the project is in it: ralph run --no-sandbox',
  ];
}
