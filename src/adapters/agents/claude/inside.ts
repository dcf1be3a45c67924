import type { AgentControl } from '../port.ts';

/** Seconds an answer may take; a Stop looks at the whole work tree first. */
const QUICK = 10;
const THOROUGH = 120;

/** Name of the variable that the client puts into the header; it never stands in a command line, where others see it. */
const TOKEN = 'RALPH_CONTROL_TOKEN';

const FILE_TOOLS = 'Read|Edit|MultiEdit|Write|NotebookEdit|Grep';

/**
 * Settings that send the client's hooks to the run. No SessionStart: clients do not call it over HTTP, and an unseen
 * session id tells the same. The guard blocks where it cannot be reached: the loop lives as long as its agent, so a
 * silent server is a sign of tampering. Everything else fails open; settle judges again.
 */
export function hookSettings({ url }: AgentControl): string {
  const hook = (timeout: number, onFailure?: 'block') => ({
    type: 'http',
    url: `${url}/hooks`,
    timeout,
    headers: { Authorization: `Bearer $${TOKEN}` },
    allowedEnvVars: [TOKEN],
    ...(onFailure ? { onFailure } : {}),
  });
  const on = (matcher: string | null, timeout: number, onFailure?: 'block') => ({
    ...(matcher ? { matcher } : {}),
    hooks: [hook(timeout, onFailure)],
  });
  return JSON.stringify({
    hooks: {
      PreToolUse: [on('Bash', QUICK, 'block'), on(FILE_TOOLS, QUICK)],
      // Whatever was used: the context monitor looks after every tool.
      PostToolUse: [on(null, THOROUGH)],
      PostToolUseFailure: [on(null, THOROUGH)],
      UserPromptSubmit: [on(null, QUICK)],
      Stop: [on(null, THOROUGH)],
      SessionEnd: [on(null, QUICK)],
    },
  });
}

/** The run's tools as an MCP server that is there from the first request on. */
export function toolServers({ url }: AgentControl): string {
  return JSON.stringify({
    mcpServers: {
      ralph: {
        type: 'http',
        url: `${url}/mcp`,
        headers: { Authorization: `Bearer \${${TOKEN}}` },
        alwaysLoad: true,
      },
    },
  });
}
