import { expect, test } from 'vitest';
import { configSchema, toConfig } from '../../contracts/config.ts';
import { chooseIsolation, noIsolation, type OpenBackend, waysOf } from './choose.ts';
import type { Backend, IsolationInput, Probe } from './port.ts';
import { fixSurroundings, installWays, type System, thisSystem } from './system.ts';

const DEBIAN: System = { platform: 'linux', distributions: ['debian'], root: false, wsl: null, container: null };
const MAC: System = { ...DEBIAN, platform: 'darwin', distributions: [] };

const GOOD: Probe = { available: true, detail: 'works', fix: [], claims: [] };
const missing = (detail = 'not installed'): Probe => ({ available: false, detail, fix: [], claims: [] });

const input = { env: {} } as unknown as IsolationInput;

/** Backends that answer as told; those without an answer must not be asked. */
function answering(probes: Partial<Record<Backend, Probe>>): Record<Backend, OpenBackend> {
  const open = (name: Backend): OpenBackend => {
    return async () => {
      const probe = probes[name];
      if (probe === undefined) throw new Error(`${name} was asked`);
      return { ...noIsolation(), name, probe: async () => probe };
    };
  };
  return { sbx: open('sbx'), container: open('container'), bwrap: open('bwrap'), srt: open('srt') };
}

const choose = (
  settings: Record<string, unknown>,
  probes: Partial<Record<Backend, Probe>>,
  options: Pick<NonNullable<Parameters<typeof chooseIsolation>[2]>, 'system' | 'sandboxFlag'> = {},
) =>
  chooseIsolation(toConfig(configSchema.parse({ isolation: settings })).isolation, input, {
    system: DEBIAN,
    ...options,
    backends: answering(probes),
  });

const noSbx = { sbx: { ...missing('no sandbox was made for this project'), fix: ['ralph sandbox create sbx'] } };

test('auto takes the virtual machine that a person prepared for the project', async () => {
  const chosen = await choose({}, { sbx: GOOD });
  expect(chosen).toMatchObject({ isolation: { name: 'sbx' }, instead: [], loud: null, quiet: null, fix: [] });
});

test.each([
  ['Linux', DEBIAN, 'bwrap'],
  ['macOS', MAC, 'srt'],
] as const)('auto takes what %s has otherwise, and says why nothing better', async (_, system, name) => {
  const chosen = await choose({}, { ...noSbx, [name]: GOOD }, { system });
  expect(chosen.isolation.name).toBe(name);
  expect(chosen.instead).toEqual([
    'sbx: no sandbox was made for this project',
    'container: used only on request (isolation.backend)',
  ]);
});

test('where nothing isolates, auto goes on without and says so loudly, with how to get it', async () => {
  const chosen = await choose({}, { ...noSbx, bwrap: missing() });
  expect(chosen).toMatchObject({
    isolation: { name: 'none' },
    instead: ['sbx: no sandbox was made for this project', 'bwrap: not installed'],
    loud: expect.stringMatching(/^NO ISOLATION: agents and checks run with your own permissions/),
    quiet: null,
  });
  expect(chosen.fix[0]).toBe('sudo apt-get install bubblewrap');
});

test('a backend whose claim does not hold is not taken, and the claim is named', async () => {
  const claims = [
    { claim: 'a file outside the work tree cannot be written', held: false, detail: 'it was written' },
    { claim: 'a file in the work tree can be written', held: true, detail: '' },
  ];
  const chosen = await choose({}, { ...noSbx, bwrap: { ...missing(), claims } });
  expect(chosen.instead).toContain('bwrap: it fails: a file outside the work tree cannot be written (it was written)');
});

test('on a system that no backend is for, auto goes on without', async () => {
  const chosen = await choose({}, {}, { system: { ...DEBIAN, platform: 'freebsd' } });
  expect(chosen).toMatchObject({ isolation: { name: 'none' }, loud: expect.stringContaining('NO ISOLATION') });
});

test('a backend that is named is taken, and nothing else is asked', async () => {
  const chosen = await choose({ backend: 'container' }, { container: GOOD });
  expect(chosen).toMatchObject({ isolation: { name: 'container' }, instead: [] });
});

test('a backend that is named and cannot be used ends with exit 7 and how to get it', async () => {
  await expect(choose({ backend: 'container' }, { container: missing() })).rejects.toMatchObject({
    exitCode: 7,
    facts: {
      what: 'container cannot isolate the run',
      where: 'container: not installed',
      why: 'isolation.backend: container does not allow running without isolation',
      fix: expect.arrayContaining(['sudo apt-get install podman uidmap']),
    },
  });
});

test.each([
  ['isolation.required', {}],
  ['--sandbox', { sandboxFlag: true }],
])('%s refuses instead of going on without', async (asked, options) => {
  await expect(choose({ required: true }, { ...noSbx, bwrap: missing() }, options)).rejects.toMatchObject({
    exitCode: 7,
    facts: { what: 'nothing here can isolate the run', why: `${asked} does not allow running without isolation` },
  });
});

test('an isolation that is required wins over the backend none', async () => {
  const chosen = await choose({ backend: 'none', required: true }, { ...noSbx, bwrap: GOOD });
  expect(chosen.isolation.name).toBe('bwrap');
});

test.each([
  ['--no-sandbox', { sandboxFlag: true }],
  ['isolation.backend: none', {}],
])('%s asks no backend and is told in one quiet line', async (said, options) => {
  const chosen = await choose({ backend: 'none' }, {}, options);
  expect(chosen).toMatchObject({ isolation: { name: 'none' }, instead: [], loud: null, fix: [] });
  expect(chosen.quiet).toContain(`no isolation (${said})`);
});

test('what a backend says about fixing counts alone', async () => {
  const saying = { ...missing('namespaces are forbidden'), fix: ['sysctl user.max_user_namespaces=15000'] };
  const sbx = { ...missing(), fix: ['ralph sandbox create sbx'] };
  expect((await choose({}, { sbx, bwrap: saying })).fix).toEqual([
    'sysctl user.max_user_namespaces=15000',
    'ralph sandbox create sbx',
  ]);
});

test('where it is silent, one that is not installed has to be, and another is kept from working by a container', async () => {
  const system = { ...DEBIAN, container: '/.dockerenv' };
  const install = await choose({}, { ...noSbx, bwrap: missing() }, { system });
  expect(install.fix[0]).toBe('sudo apt-get install bubblewrap');
  const kept = await choose({}, { ...noSbx, bwrap: missing('namespaces are forbidden') }, { system });
  expect(kept.fix[0]).toContain('looks like a container (/.dockerenv)');
});

test('what is there and does not work is never to be installed', () => {
  const complaining = missing('bwrap cannot create a sandbox here: Operation not permitted');
  expect(waysOf({ name: 'bwrap', probe: complaining }, DEBIAN)).toEqual([]);
  const claims = [{ claim: 'a secret cannot be read', held: false, detail: 'it was' }];
  expect(waysOf({ name: 'bwrap', probe: { ...missing(), claims } }, DEBIAN)).toEqual([]);
});

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
  expect(fixSurroundings(linux('debian'))).toEqual([]);
  expect(fixSurroundings({ ...linux(), wsl: 2 })).toEqual([]);
  // They are joined by "or".
  for (const way of fixSurroundings({ ...linux(), container: '/.dockerenv' })) expect(way).not.toMatch(/^or /);
  expect(fixSurroundings({ ...linux(), wsl: 1 })).toEqual([expect.stringContaining('wsl --set-version')]);
});

test.each([
  ['ID=fedora\nVERSION_ID=43\n', ['fedora']],
  ['NAME="Pop!_OS"\nID=pop\nID_LIKE="ubuntu debian"\n', ['pop', 'ubuntu', 'debian']],
  ["ID='opensuse-leap'\nID_LIKE='suse opensuse'\n", ['opensuse-leap', 'suse', 'opensuse']],
  ['', []],
])('the distribution is read from %j', async (release, ids) => {
  expect((await thisSystem({}, async () => release)).distributions).toEqual(ids);
});

test('this system can be read, and a pod says that it is a container', async () => {
  const { platform, container } = await thisSystem({ KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  expect(platform).toBe(process.platform);
  expect(container).not.toBeNull();
});

test('without isolation a command stays as it is', async () => {
  const command = { file: 'agent', args: ['-p'], cwd: '/project', env: { A: '1' } };
  expect(await noIsolation().wrap({ ...command, mounts: [] })).toEqual({ ...command, end: expect.any(Function) });
});

test('that nothing isolates is said plainly, and nothing is claimed', async () => {
  expect(await noIsolation().probe()).toEqual({
    available: true,
    detail: expect.stringContaining('no isolation: agents and checks run with your own permissions'),
    fix: [],
    claims: [],
  });
});
