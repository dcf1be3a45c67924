import { join } from 'node:path';
import { exists, isWithin, list, realPath, stat } from '../../../platform/index.ts';
import { shellWord } from '../../../rules/text/index.ts';
import type { InsideCommand, InsideWorkspace, IsolationInput, Policy } from '../port.ts';
import { normalPath } from '../view/entry.ts';
import { findFile, ownPlaces, placesOf, programPlaces, toolchainPlaces } from '../view/programs.ts';
import { insideHome } from '../view/view.ts';

/** What a command may access, in the form of srt's rules. Absolute host paths. */
interface Places {
  /** Folders whose content is hidden, except for what follows. */
  readonly hidden: readonly string[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
}

/** How the network is reached. Ports of the host's loopback. */
interface Ways {
  readonly proxy: number;
  /** Of the control server; null where the command has none. */
  readonly control: number | null;
}

/**
 * The settings file for one command.
 *
 * Seatbelt's rules give only the two proxies their own port; `allowLocalBinding` opens the whole loopback. So the
 * control server is passed as the SOCKS proxy, and the loopback is opened only where the user asked for one of its
 * ports.
 */
export function srtSettings(places: Places, policy: Policy, ways: Ways, platform: NodeJS.Platform): object {
  return {
    network: {
      allowedDomains: policy.hosts.flatMap(portsOf),
      deniedDomains: [],
      strictAllowlist: true,
      httpProxyPort: ways.proxy,
      socksProxyPort: ways.control ?? ways.proxy,
      allowLocalBinding: policy.localPorts.length > 0,
      ...(platform === 'darwin' ? { allowUnixSockets: places.writable } : { allowAllUnixSockets: true }),
    },
    filesystem: {
      denyRead: places.hidden,
      allowRead: places.readable,
      allowWrite: places.writable,
      denyWrite: places.readOnly,
    },
  };
}

/**
 * srt takes a host without a port as every port of it, and refuses all settings for one name without a dot; our proxy,
 * which decides, knows that name nevertheless.
 */
function portsOf(host: string): readonly string[] {
  if (!host.includes('.') && !/^localhost(:|$)/.test(host)) return [];
  return /:\d+$/.test(host) ? [host] : [`${host}:443`, `${host}:80`];
}

/** Where people and programs keep private files; srt can only hide, not show. */
const HIDDEN: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['/home', '/root', '/run', '/tmp', '/var/tmp', '/etc/shadow', '/etc/gshadow', '/etc/ssl/private'],
  darwin: ['/Users', '/Volumes', '/private/tmp', '/private/var/root'],
};

type BasePlaces = Awaited<ReturnType<typeof basePlaces>>;

/** Inspects the machine once for a run. @param temp the run's own folder for temporary files */
export async function basePlaces(input: IsolationInput, temp: string) {
  const home = insideHome(input.env);
  const roots = await bothNames(input.workspace.root);
  const [programs, node, own] = await Promise.all([
    programPlaces(input.env['PATH'], home, roots),
    placesOf(process.execPath, home),
    ownPlaces(),
  ]);
  const shown = [...toolchainPlaces(input.env, home), ...programs, ...node, ...own, ...input.policy.read];
  const hidden = [...(HIDDEN[process.platform] ?? []), ...(await bothNames(home))];
  const written = [input.workspace.root, temp, ...input.policy.write];
  return {
    input,
    home,
    hidden: await there(hidden),
    // A folder that contains a hidden folder would reveal it.
    readable: (await there(shown)).filter((path) => !isWithin(home, path)),
    writable: await there(written),
  };
}

/**
 * What one command may access. Mounts at a different path cannot be made: they are left out.
 * @param folder its home folder
 */
export async function placesFor(base: BasePlaces, folder: string, command: InsideCommand): Promise<Places> {
  const mounts = command.mounts.filter(({ from, at }) => from === at);
  const written = mounts.flatMap((each) => (each.writable ? [each.from] : []));
  const writable = [...base.writable, ...(await there([folder, ...written]))];
  const program = await findFile(command.file, command.cwd, command.env['PATH']);
  const started = program === null ? [] : await placesOf(program, base.home);
  const readable = await there([...mounts.map(({ from }) => from), ...started]);
  return {
    hidden: base.hidden,
    readable: [...base.readable, ...readable, ...writable].filter((path) => !isWithin(base.home, path)),
    writable,
    readOnly: await readOnlyPlaces(base.input.workspace),
  };
}

/**
 * The read-only places, with holes: in srt's rules nothing below a read-only folder can be writable. So a folder with a
 * writable place in it is replaced by its other present entries; entries created in it later are writable.
 */
async function readOnlyPlaces({ readOnly, writable }: InsideWorkspace): Promise<readonly string[]> {
  const around = async (path: string): Promise<readonly string[]> => {
    if (writable.includes(path)) return [];
    const holds = writable.some((place) => isWithin(place, path));
    if (!holds || (await stat(path))?.kind !== 'dir') return [path];
    return (await Promise.all((await list(path)).map((name) => around(join(path, name))))).flat();
  };
  return there((await Promise.all(readOnly.map(around))).flat());
}

/** The existing ones, by their given and their real paths: rules use real paths. */
async function there(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(async (path) => ((await exists(path)) ? bothNames(path) : [])));
  return [...new Set(found.flat())];
}

async function bothNames(path: string): Promise<readonly string[]> {
  const real = await realPath(path).catch(() => path);
  return real === path ? [path] : [path, real];
}

/** The user's proxies and session sockets: none of them can be reached. */
const OF_THE_HOST = /^((https?|ftp|all|no)_proxy|ssh_auth_sock|ssh_agent_pid|dbus_session_bus_address|docker_host)$/i;

/**
 * The environment of a command, valid inside. The home folder has another path; variables that name a missing place in
 * the user's own home are dropped.
 */
export function environmentInside(
  env: Readonly<Record<string, string>>,
  { home }: Pick<BasePlaces, 'home'>,
  folder: string,
  { readable, writable }: Pick<Places, 'readable' | 'writable'>,
): Readonly<Record<string, string>> {
  const isHidden = (value: string) => {
    // A list of folders (PATH) stays whole: missing ones are ignored.
    const path = value.includes(':') ? null : normalPath(value);
    if (path === null || !isWithin(path, home)) return false;
    return ![...readable, ...writable].some((place) => isWithin(path, place));
  };
  const kept = Object.entries(env).filter(([name, value]) => !OF_THE_HOST.test(name) && !isHidden(value));
  return { ...Object.fromEntries(kept), HOME: folder, IS_SANDBOX: '1' };
}

/** Port of srt's own relays inside on Linux, where the loopback is separate from the host's. */
const LINUX_PROXY = 3128;

/** srt names its proxies in all of these; ours is an HTTP proxy. */
const FOREIGN =
  'ALL_PROXY all_proxy FTP_PROXY ftp_proxy RSYNC_PROXY GRPC_PROXY grpc_proxy DOCKER_HTTP_PROXY DOCKER_HTTPS_PROXY ' +
  'CLOUDSDK_PROXY_TYPE CLOUDSDK_PROXY_ADDRESS CLOUDSDK_PROXY_PORT GIT_SSH_COMMAND GIT_CONFIG_PARAMETERS';

/**
 * The shell script that runs the command inside. Its arguments are the command's.
 *
 * srt reports a command that died of a signal as successful; the shell's exit code reveals the signal. TERM is left to
 * the command, which may want to end by itself.
 *
 * @param relays on Linux: loopback ports, each joined to `<folder>/<port>.sock` of the gateway
 */
export function insideScript(input: {
  readonly platform: NodeJS.Platform;
  readonly proxy: number;
  readonly temp: string;
  readonly relays: { readonly folder: string; readonly ports: readonly number[] };
}): string {
  const { platform, proxy, temp, relays } = input;
  const address = `http://127.0.0.1:${platform === 'linux' ? LINUX_PROXY : proxy}`;
  return [
    `unset ${FOREIGN}`,
    `export HTTP_PROXY=${address} HTTPS_PROXY=${address} http_proxy=${address} https_proxy=${address}`,
    'export NO_PROXY=127.0.0.1,localhost,::1 no_proxy=127.0.0.1,localhost,::1',
    `export TMPDIR=${shellWord(temp)}`,
    ...relays.ports.map((port) => relay(port, `${relays.folder}/${port}.sock`)),
    'trap : TERM INT HUP',
    '"$@"',
    'exit $?',
  ].join('\n');
}

function relay(port: number, socket: string): string {
  return `socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${shellWord(socket)} </dev/null >/dev/null 2>&1 &`;
}

/**
 * Files that srt, and Claude Code's own sandbox, which is based on it, create in the project on Linux while a command
 * runs, wherever such a file is missing: an unwritable device. `git status` shows them and `git add -A` fails on them
 * unless they are excluded. Lines of `.git/info/exclude`, for the root of the work tree.
 */
export const GHOST_FILES: readonly string[] = [
  ...['/.bash_profile', '/.bashrc', '/.gitconfig', '/.gitmodules', '/.mcp.json', '/.profile', '/.ripgreprc'],
  ...['/.zprofile', '/.zshrc', '/.idea', '/.vscode'],
  // Claude Code's own sandbox guards more of its settings.
  ...['agents', 'commands', 'hooks', 'output-styles', 'routines', 'skills', 'workflows', '.cc-writes'].map(ofClaude),
  ...['launch.json', 'loop.md', 'scheduled_tasks.json', 'settings.json', 'settings.local.json'].map(ofClaude),
];

function ofClaude(name: string): string {
  return `/.claude/${name}`;
}
