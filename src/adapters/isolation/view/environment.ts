import { join } from 'node:path';
import { isWithin, packageFolder, realPath } from '../../../platform/index.ts';
import type { Command, IsolationInput } from '../port.ts';
import { isReadOnlyInside, isThere, normalPath, type ViewEntry } from './entry.ts';
import { insideHome } from './view.ts';

type Env = Readonly<Record<string, string>>;

/** The bridge's port inside for the egress proxy. */
export const PROXY_PORT = 3128;
/** The bridge's port inside for the server that adds the credentials of model providers. */
export const CREDENTIALS_PORT = 3129;
const PROXY = `http://127.0.0.1:${PROXY_PORT}`;

/** Variables that are not valid inside: the user's proxies, and sockets of the user's session. */
const OF_THE_HOST =
  /^((https?|ftp|all|no|socks|rsync)_proxy|npm_config_(https?_?)?(no)?_?proxy|yarn_https?_proxy|cargo_http_proxy|xdg_runtime_dir|dbus_session_bus_address|ssh_auth_sock|ssh_agent_pid|gpg_agent_info|display|wayland_display|xauthority|docker_host|container_host|tmp|temp)$/i;

/** Variables that name a file or folder. Others may contain text that only looks like one: `BASE_URL=/api`. */
const NAMES_A_PLACE =
  /^xdg_|_(home|dir|root|prefix|file|bundle|certs?|cainfo|capath|sock|install|cache|folder)$|^(gopath|gobin|gocache|gomodcache|goroot|opamroot|pythonuserbase|perl5lib|virtual_env|nuget_packages|bundle_path|hex_cacerts_path|chrome_bin|playwright_browsers_path|puppeteer_executable_path)$/i;

const INSIDE: Env = {
  HTTP_PROXY: PROXY,
  http_proxy: PROXY,
  HTTPS_PROXY: PROXY,
  https_proxy: PROXY,
  NO_PROXY: '127.0.0.1,localhost,::1',
  no_proxy: '127.0.0.1,localhost,::1',
  TMPDIR: '/tmp',
  // As root, Claude Code requires this before it runs without asking for permission.
  IS_SANDBOX: '1',
};

/**
 * The environment of a command, valid inside. Variables that name a missing place are dropped, so that programs use
 * their usual place in the home folder; PATH loses such entries.
 */
export function insideEnvironment(env: Env, input: Pick<IsolationInput, 'env'>, view: readonly ViewEntry[]): Env {
  const home = insideHome(input.env);
  const stays = (path: string) => isWithin(path, home) || isThere(view, path);
  const isOnPath = (path: string) => (isWithin(path, home) ? isReadOnlyInside(view, path) : isThere(view, path));
  const kept = Object.entries(env).filter(([name, value]) => {
    const path = NAMES_A_PLACE.test(name) ? normalPath(value) : null;
    return !OF_THE_HOST.test(name) && (path === null || stays(path));
  });
  // An agent can fill a PATH folder in the home folder inside: the next agent, and the checks, would run its programs.
  const path = (env['PATH'] ?? '').split(':').filter((entry) => isOnPath(normalPath(entry) ?? ''));
  return { ...Object.fromEntries(kept), ...INSIDE, HOME: home, PATH: path.join(':') };
}

/** Where the system has it, seen by every sandbox that uses this machine's programs. */
const PERL = '/usr/bin/perl';

/**
 * The bridge's command line, the same on the host and inside. There are two: Perl starts in a tenth of the time that
 * Node takes, and only Node is always there. Both keep one contract (bridge.test.ts).
 * @param node its path inside
 * @param ofHost the inside has this machine's programs
 */
export async function bridgeProgram(node: string, ofHost: boolean): Promise<readonly string[]> {
  const perl = ofHost ? await realPath(PERL).catch(() => null) : null;
  const own = await packageFolder();
  return perl?.startsWith('/usr/') ? [PERL, join(own, 'bin', 'bridge.pl')] : [node, join(own, 'dist', 'inside.cjs')];
}

/**
 * The command that sets up the network inside and then runs `command` in it.
 *
 * @param input `program`: see {@link bridgeProgram}; `sockets`: the gateway's folder; `ports`: host loopback ports
 * available inside; `processes`: the limit for the user inside, which does not apply to root
 */
export function bridgeCommand(input: {
  readonly program: readonly string[];
  readonly sockets: string;
  readonly ports: readonly number[];
  readonly processes: number;
  readonly command: Command;
}): Command {
  const { program, sockets, ports, processes, command } = input;
  const [file = '', ...args] = program;
  const listened = [`${PROXY_PORT}=egress`, ...ports.map((port) => `${port}=${port}`)].join(',');
  const options = ['--sockets', sockets, '--ports', listened, '--processes', String(processes)];
  return { ...command, file, args: [...args, ...options, '--', command.file, ...command.args] };
}
