import { type Config, type ErrorFacts, UnavailableError } from '../../../contracts/index.ts';
import { ECOSYSTEMS } from '../../../rules/isolation/index.ts';
import type { IsolationName } from '../../isolation/index.ts';
import type { AgentCommand, AgentControl, AgentTask } from '../port.ts';

/**
 * Variables that Claude Code sets for its own children. When ralph itself was started from inside a session, these
 * would make the agent consider itself part of that session.
 */
const OUTER_SESSION = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PID',
  'CLAUDE_PLUGIN_DATA',
  'CLAUDE_PLUGIN_ROOT',
  'CLAUDE_PROJECT_DIR',
];

/**
 * The command line of one task. Throws UnavailableError where the client would refuse to start (bypass as root).
 *
 * Isolated both ways: no settings file and no MCP server of the user or the project applies, and ralph writes nothing
 * to them. Project memory still works: the work tree is an "additional directory" whose CLAUDE.md is read.
 */
export function claudeCommand(task: AgentTask): AgentCommand {
  const refusal = rootRefusal(task.config, task.env, task.isolation);
  if (refusal) throw new UnavailableError(refusal);
  return {
    file: task.config.claude.command,
    args: claudeArguments(task),
    cwd: task.cwd,
    env: claudeEnvironment(task),
    stdin: task.prompt,
  };
}

function claudeArguments(task: AgentTask): string[] {
  const { control, config } = task;
  // Under a permission mode that asks, the run's own tools must be on the allow list.
  const asksFirst = permissionMode(config) !== 'bypassPermissions';
  const allowedTools = [...config.claude.allowedTools, ...(control && asksFirst ? [TOOLS_OF_THE_RUN] : [])];
  const settings = { ...(control ? hookSettings(control) : {}), ...bashSandboxSettings(task) };
  return [
    '-p',
    // stream-json is refused without --verbose
    ...['--output-format', 'stream-json', '--verbose'],
    ...['--setting-sources', ''],
    ...(Object.keys(settings).length > 0 ? ['--settings', JSON.stringify(settings)] : []),
    '--strict-mcp-config',
    ...(control ? ['--mcp-config', toolServers(control)] : []),
    ...['--permission-mode', permissionMode(task.config)],
    ...(task.model ? ['--model', task.model] : []),
    ...(task.budgetUsd === null ? [] : ['--max-budget-usd', task.budgetUsd.toFixed(4)]),
    // These two take any number of values, so they come last.
    ...(allowedTools.length > 0 ? ['--allowedTools', ...allowedTools] : []),
    ...['--add-dir', task.cwd],
  ];
}

/** All tools of the MCP server `ralph`, in the syntax of the client's rules. */
const TOOLS_OF_THE_RUN = 'mcp__ralph';

function claudeEnvironment(task: AgentTask): Record<string, string> {
  const given = Object.entries(withoutServer(task.env, task.control));
  const inherited = Object.fromEntries(given.filter(([name]) => !OUTER_SESSION.includes(name)));
  return {
    ...inherited,
    ...sandboxVariable(task.isolation),
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
    // The client's own ten retries take three minutes; the loop has its own retries, which it records.
    CLAUDE_CODE_MAX_RETRIES: String(task.config.claude.maxRetries),
    // Background work would outlive the turn that claims to have finished it.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_TMPDIR: task.tempDir,
    // A client that updates itself during an overnight run is not the version that was tested before it.
    DISABLE_AUTOUPDATER: '1',
    // `complete_story` runs the checks before it answers.
    MCP_TOOL_TIMEOUT: String(task.config.timeoutMs),
    // The loop's own limit of refused stops must take effect first, because the loop reports it.
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: String(task.config.hooks.stopRefusals + 1),
  };
}

/** Where package managers keep downloads: `npm ci` needs to write there. Relative to the home folder. */
const CACHES = [
  ...['.npm', '.cache', 'Library/Caches', '.yarn', '.pnpm-store', '.local/share/pnpm', '.bun/install/cache'],
  ...['.cargo/registry', '.cargo/git', 'go/pkg', '.m2', '.gradle', '.nuget', '.gem', '.bundle', '.composer'],
];

/**
 * Settings for the client's own sandbox around its shell, in its strict form; null where it is not to be used. It
 * confines shell commands only: the client's other tools can write anywhere, so it is no isolation.
 *
 * Used only when the user asks for it: on Linux it puts devices into the project while a command runs, on which
 * `git add -A` fails (`GHOST_FILES` of the isolation adapter names them), and makes services on the loopback
 * unreachable. It has not been tried on macOS.
 */
export function bashSandboxSettings({ config, isolation }: Pick<AgentTask, 'config' | 'isolation'>): object | null {
  if (isolation !== 'none' || !config.claude.bashSandbox) return null;
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

type Environment = Readonly<Record<string, string | undefined>>;

/** The permission mode for a run. No person can answer questions, so the default is the mode that asks none. */
function permissionMode(config: Config): 'bypassPermissions' | 'acceptEdits' {
  return config.claude.permissionMode ?? 'bypassPermissions';
}

/**
 * Why the client would refuse to start; null when it would start. As root it accepts bypass only when a variable says
 * that it is in a sandbox (IS_SANDBOX=1 or CLAUDE_CODE_BUBBLEWRAP=1). Where an isolation has been proven, ralph sets
 * that variable ({@link sandboxVariable}); elsewhere only the user may.
 */
export function rootRefusal(config: Config, env: Environment, isolation: IsolationName): ErrorFacts | null {
  const isRoot = process.getuid?.() === 0;
  const saidSandbox = isTrue(env['IS_SANDBOX']) || isTrue(env['CLAUDE_CODE_BUBBLEWRAP']);
  if (!isRoot || saidSandbox || isolation !== 'none' || permissionMode(config) !== 'bypassPermissions') return null;
  return {
    what: 'Claude Code does not run as root with permissions bypassed',
    where: 'permission mode bypassPermissions, user root, no isolation, no IS_SANDBOX in the environment',
    why: 'nothing would stand between the agent and the whole machine',
    mend: [
      'take an isolation (`ralph sandbox status` says which one works here)',
      'run ralph as an ordinary user',
      'set claude.permissionMode to "acceptEdits" and list what the agent may run in claude.allowedTools, e.g. ["Bash(npm test:*)", "Bash(git:*)"]',
      'if this machine is a container or VM made for the agent: export IS_SANDBOX=1',
    ],
  };
}

/** The variable that tells the client that it is in a sandbox; none where it is not. */
export function sandboxVariable(isolation: IsolationName): Record<string, string> {
  return isolation === 'none' ? {} : { IS_SANDBOX: '1' };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
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

/** The run's tools as an MCP server that is available from the first request on. */
export function toolServers(control: AgentControl): string {
  const ralph = control.spool === undefined ? remoteTools(control.url) : spooledTools(control.spool);
  return JSON.stringify({ mcpServers: { ralph: { ...ralph, alwaysLoad: true } } });
}

function remoteTools(url: string) {
  return { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer \${${TOKEN}}` } };
}

function spooledTools(spool: string) {
  return { type: 'stdio', command: 'node', args: [`${spool}/program/main.js`, 'mcp'], env: { RALPH_SPOOL: spool } };
}

/**
 * The variables that lead to the control server, without them where it cannot be reached: the command hook leaves the
 * decision to the server as long as it knows its address.
 */
function withoutServer(
  env: Readonly<Record<string, string>>,
  control: AgentControl | null,
): Readonly<Record<string, string>> {
  if (control?.spool === undefined) return env;
  const { RALPH_CONTROL_URL: _url, RALPH_CONTROL_TOKEN: _token, ...rest } = env;
  return rest;
}

/** One word of a shell command. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
