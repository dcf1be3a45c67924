import type { Config } from '../../../contracts/config.ts';
import { ECOSYSTEMS } from '../../../rules/isolation/registry-table.ts';
import type { AgentTask } from '../port.ts';

/** Where package managers keep what they fetch: `npm ci` wants to write there. Below the home folder. */
const CACHES = [
  ...['.npm', '.cache', 'Library/Caches', '.yarn', '.pnpm-store', '.local/share/pnpm', '.bun/install/cache'],
  ...['.cargo/registry', '.cargo/git', 'go/pkg', '.m2', '.gradle', '.nuget', '.gem', '.bundle', '.composer'],
];

/**
 * The client's own sandbox around its shell, in its strict form, for the client's settings; null where it is not to be
 * used. It holds shell commands only: the client's other tools write where they like, so that it is no isolation.
 *
 * Only where the person asked for it: on Linux it puts devices into the project while a command runs, on which
 * `git add -A` fails (`GHOST_FILES` of the isolation adapter names them), and takes services on the loopback away. On
 * macOS it was not tried.
 */
export function bashSandboxSettings({ config, isolation }: Pick<AgentTask, 'config' | 'isolation'>): object | null {
  if (isolation !== 'none' || !config.claude.bashSandbox) return null;
  return {
    sandbox: {
      enabled: true,
      // Without these two, a sandbox that does not start is a line on stderr, and the model may ask to be let out.
      failIfUnavailable: true,
      allowUnsandboxedCommands: false,
      network: {
        allowedDomains: reachable(config),
        strictAllowlist: true,
        // Tests listen: on ports of the loopback, and on sockets in the temp folder.
        allowLocalBinding: true,
        allowAllUnixSockets: true,
      },
      filesystem: { allowWrite: [...CACHES.map((cache) => `~/${cache}`), ...config.isolation.write] },
    },
  };
}

function reachable({ isolation }: Config): readonly string[] {
  const registries = isolation.registries ? ECOSYSTEMS.flatMap(({ hosts }) => hosts) : [];
  return [...new Set([...registries, ...isolation.allowHosts])];
}
