import { expect, test } from 'vitest';
import { installWays, mendSurroundings } from './mend.ts';
import { distributionsIn, type System, thisSystem } from './system.ts';

const linux = (...distributions: readonly string[]): System => ({
  platform: 'linux',
  distributions,
  root: false,
  wsl: null,
  container: null,
});

test.each([
  [['debian'], 'sudo apt-get install bubblewrap'],
  [['linuxmint', 'ubuntu', 'debian'], 'sudo apt-get install bubblewrap'],
  [['fedora'], 'sudo dnf install bubblewrap'],
  [['rocky', 'rhel', 'centos', 'fedora'], 'sudo dnf install bubblewrap'],
  [['manjaro', 'arch'], 'sudo pacman -S bubblewrap'],
  [['opensuse-tumbleweed', 'opensuse', 'suse'], 'sudo zypper install bubblewrap'],
  [['alpine'], 'sudo apk add bubblewrap'],
  [['nixos'], 'nix-env -iA nixos.bubblewrap'],
  [['unheard-of'], "install the package bubblewrap with your system's package manager"],
  [[], "install the package bubblewrap with your system's package manager"],
])('on %j: %s', (distributions, command) => {
  expect(installWays('bwrap', linux(...distributions))).toEqual([command]);
});

test('Debian has the id ranges of rootless containers in a package of its own', () => {
  expect(installWays('container', linux('debian'))).toEqual(['sudo apt-get install podman uidmap']);
  expect(installWays('container', linux('fedora'))).toEqual(['sudo dnf install podman']);
});

test('root needs no sudo', () => {
  expect(installWays('bwrap', { ...linux('debian'), root: true })).toEqual(['apt-get install bubblewrap']);
});

test('on macOS bwrap points to what there is instead', () => {
  const mac: System = { ...linux(), platform: 'darwin' };
  expect(installWays('bwrap', mac)).toEqual([expect.stringContaining('--sandbox=srt')]);
  expect(installWays('container', mac)).toEqual([expect.stringContaining('--sandbox=srt')]);
});

test('what surrounds us is named only where there is something', () => {
  expect(mendSurroundings(linux('debian'))).toEqual([]);
  expect(mendSurroundings({ ...linux(), wsl: 2 })).toEqual([]);
  // They are joined by "or".
  for (const way of mendSurroundings({ ...linux(), container: '/.dockerenv' })) expect(way).not.toMatch(/^or /);
  expect(mendSurroundings({ ...linux(), wsl: 1 })).toEqual([expect.stringContaining('wsl --set-version')]);
});

test.each([
  ['ID=fedora\nVERSION_ID=43\n', ['fedora']],
  ['NAME="Pop!_OS"\nID=pop\nID_LIKE="ubuntu debian"\n', ['pop', 'ubuntu', 'debian']],
  ["ID='opensuse-leap'\nID_LIKE='suse opensuse'\n", ['opensuse-leap', 'suse', 'opensuse']],
  ['', []],
])('the distribution is read from %j', (release, ids) => {
  expect(distributionsIn(release)).toEqual(ids);
});

test('this system can be read, and a pod says that it is a container', async () => {
  const { platform, container } = await thisSystem({ KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  expect(platform).toBe(process.platform);
  expect(container).not.toBeNull();
});
