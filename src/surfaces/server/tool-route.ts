import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { MAX_BODY_BYTES } from './limits.ts';
import type { Toolbox } from './toolbox.ts';

/** Tools of one agent process over MCP (streamable HTTP, no sessions: every request stands alone). */
export interface ToolRoute {
  readonly answer: (request: Request) => Promise<Response>;
  /** Ends what is still being streamed to the agent. */
  readonly close: () => void;
}

/** The library is loaded at the first request: a run whose agent uses no tools never pays for it. */
export function toolRoute(toolbox: Toolbox): ToolRoute {
  let loading: Promise<McpHttpHandler> | null = null;

  async function load(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { toolServers }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./tool-server.ts'),
    ]);
    return createMcpHandler(toolServers(toolbox), { maxRequestBodySize: MAX_BODY_BYTES });
  }

  return {
    async answer(request) {
      loading ??= load();
      return (await loading).fetch(request);
    },
    close() {
      void loading?.then((handler) => handler.close());
    },
  };
}
