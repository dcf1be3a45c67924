import type { AgentControl } from '../port.ts';

/** Seconds an answer may take; a Stop looks at the whole work tree first. */
const QUICK = 10;
const THOROUGH = 120;

/** Name of the variable that the client puts into the header; it never stands in a command line, where others see it. */
const TOKEN = 'RALPH_CONTROL_TOKEN';

const FILE_TOOLS = 'Read|Edit|MultiEdit|Write|NotebookEdit|Grep';

/**
 * Settings that send the client's hooks to the run: over HTTP, or to the command hook in the spool where the server
 * cannot be reached. No SessionStart: clients do not call it over HTTP, and an unseen session id tells the same. The
 * guard blocks where it cannot be reached: the loop lives as long as its agent, so a silent server is a sign of
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
      // Whatever was used: the context monitor looks after every tool.
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

/** It leaves a mark that it was called: whether the client really asks cannot be seen from outside. */
function fromSpool(spool: string) {
  return { type: 'command', command: `: >${quoted(`${spool}/hooked`)}; exec node ${quoted(`${spool}/hook.cjs`)}` };
}

/** The run's tools as an MCP server that is there from the first request on. */
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
 * The variables that lead to the control server, less those where it cannot be reached: the command hook leaves the
 * decision to the server while it knows its address.
 */
export function withoutServer(
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
