import { join } from 'node:path';
import type { Config } from '../../../contracts/index.ts';
import { writeAtomic } from '../../../platform/index.ts';
import { ECOSYSTEMS } from '../../../rules/isolation/index.ts';
import type { AgentControl, AgentTask } from '../port.ts';

/** Where package managers keep downloads: `npm ci` needs to write there. Relative to the home folder. */
const CACHES = [
  ...['.npm', '.cache', 'Library/Caches', '.yarn', '.pnpm-store', '.local/share/pnpm', '.bun/install/cache'],
  ...['.cargo/registry', '.cargo/git', 'go/pkg', '.m2', '.gradle', '.nuget', '.gem', '.bundle', '.composer'],
];

/**
 * Settings for the client's own sandbox around its shell, in its strict form; null where it is not to be used. It
 * confines shell commands only: the client's other tools can write anywhere, so it does not isolate the agent.
 *
 * Used only when the user asks for it: on Linux it puts devices into the project while a command runs, on which
 * `git add -A` fails (`GHOST_FILES` of the isolation adapter names them), and makes services on the loopback
 * unreachable. It has not been tried on macOS.
 */
export function bashSandboxSettings({ config, isolation }: Pick<AgentTask, 'config' | 'isolation'>): object | null {
  if (isolation !== 'none' || !config.agents.claude.bashSandbox) return null;
  return {
    sandbox: {
      enabled: true,
      // Without these two, a failed sandbox start is only a line on stderr, and the model may ask to run outside.
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

/** Seconds that an answer may take; a Stop checks the whole work tree first. */
const QUICK = 10;
const THOROUGH = 120;

/** The variable that the client puts into the header; the token stays out of command lines, where others see it. */
const TOKEN = 'RALPH_CONTROL_TOKEN';

const FILE_TOOLS = 'Read|Edit|MultiEdit|Write|NotebookEdit|Grep';

/**
 * Settings that send the client's hooks to the run: over HTTP, or to the command hook in the spool where the server
 * cannot be reached. No SessionStart: clients do not call it over HTTP, and an unknown session id shows the same. The
 * guard blocks when it cannot reach the server: the loop lives as long as its agent, so a silent server is a sign of
 * tampering. Everything else fails open; settle judges again.
 */
export function hookSettings(control: AgentControl): Readonly<Record<string, unknown>> {
  const called = control.spool === undefined ? overHttp(control.url) : fromSpool(control.spool);
  const on = (matcher: string | null, timeout: number, onFailure?: 'block') => ({
    ...(matcher ? { matcher } : {}),
    hooks: [{ ...called, timeout, ...(onFailure ? { onFailure } : {}) }],
  });
  return {
    hooks: {
      PreToolUse: [on('Bash', QUICK, 'block'), on(FILE_TOOLS, QUICK)],
      // After every tool: the context monitor watches them all.
      PostToolUse: [on(null, THOROUGH)],
      PostToolUseFailure: [on(null, THOROUGH)],
      UserPromptSubmit: [on(null, QUICK)],
      Stop: [on(null, THOROUGH)],
      SessionEnd: [on(null, QUICK)],
    },
  };
}

function overHttp(url: string) {
  return {
    type: 'http',
    url: `${url}/hooks`,
    headers: { Authorization: `Bearer $${TOKEN}` },
    allowedEnvVars: [TOKEN],
  };
}

/** The hook leaves a mark when it is called: from outside, it is not visible whether the client really calls it. */
function fromSpool(spool: string) {
  return { type: 'command', command: `: >${quoted(`${spool}/hooked`)}; exec node ${quoted(`${spool}/hook.cjs`)}` };
}

/**
 * More servers, in a file of the process's private folder: every user of the machine sees arguments. They are available
 * from the first request on, as the run's own.
 */
export async function serversFile({ servers = [], tempDir }: AgentTask): Promise<readonly string[]> {
  if (servers.length === 0) return [];
  const path = join(tempDir, 'mcp.json');
  const entries = servers.map(({ name, ...server }) => [name, { ...server, alwaysLoad: true }]);
  await writeAtomic(path, JSON.stringify({ mcpServers: Object.fromEntries(entries) }), { fsync: false, mode: 0o600 });
  return [path];
}

/** The project's skills and sub-agents as a plugin: of a plugin, the client takes no hooks and servers in them. */
export async function skillsPlugin({ skills = [], tempDir }: AgentTask): Promise<readonly string[]> {
  if (skills.length === 0) return [];
  const folder = join(tempDir, 'project');
  await writeAtomic(join(folder, '.claude-plugin/plugin.json'), '{ "name": "project" }', { fsync: false });
  for (const { path, bytes, executable } of skills) {
    const mode = executable ? 0o700 : 0o600;
    await writeAtomic(join(folder, path.replace(/^\.claude\//, '')), bytes, { fsync: false, mode });
  }
  return ['--plugin-dir', folder];
}

/** The run's tools as an MCP server that is available from the first request on. */
export function toolServers({ url, spool }: AgentControl): string {
  const ralph =
    spool === undefined
      ? { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer \${${TOKEN}}` } }
      : { type: 'stdio', command: 'node', args: [`${spool}/program/main.cjs`, 'mcp'], env: { RALPH_SPOOL: spool } };
  return JSON.stringify({ mcpServers: { ralph: { ...ralph, alwaysLoad: true } } });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
