/** What the player asks of the run it belongs to: the hooks of its session, and the tools of the run. */
export interface Inside {
  /** Asks a hook; an answer that means nothing is an empty object. Throws when the run cannot be reached. */
  hook(event: string, fields: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  tool(name: string, args: Readonly<Record<string, unknown>>): Promise<{ readonly text: string; readonly ok: boolean }>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The run that started this process; null when nothing stands beside it. */
export function openInside(env: Env, session: string, cwd: string): Inside | null {
  const url = env['RALPH_CONTROL_URL'];
  const token = env['RALPH_CONTROL_TOKEN'];
  if (!url || !token) return null;
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return JSON.parse(dataOf(await response.text())) as Record<string, unknown>;
  };
  return {
    hook: (event, fields) =>
      post('/hooks', { hook_event_name: event, session_id: session, transcript_path: '', cwd, ...fields }),
    async tool(name, args) {
      const params = { name, arguments: args };
      const answer = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const { content, isError } = (answer['result'] ?? {}) as ToolResult;
      const failure = answer['error'] as { readonly message?: string } | undefined;
      const text = content?.map((part) => part.text ?? '').join('\n') ?? failure?.message ?? 'no answer';
      return { text, ok: failure === undefined && isError !== true };
    },
  };
}

interface ToolResult {
  readonly content?: readonly { readonly text?: string }[];
  readonly isError?: boolean;
}

/** An MCP answer is JSON, or the last event of a stream that holds it. */
function dataOf(body: string): string {
  const data = body.split('\n').findLast((line) => line.startsWith('data:'));
  return data ? data.slice('data:'.length) : body;
}

/** Why the run denies a tool call; null when it lets it pass. */
export function denialIn(answer: Readonly<Record<string, unknown>>): string | null {
  const output = answer['hookSpecificOutput'] as Readonly<Record<string, unknown>> | undefined;
  return output?.['permissionDecision'] === 'deny' ? String(output['permissionDecisionReason'] ?? 'denied') : null;
}

/** Why the agent may not stop yet; null when it may. */
export function refusalIn(answer: Readonly<Record<string, unknown>>): string | null {
  return answer['decision'] === 'block' ? String(answer['reason'] ?? 'refused') : null;
}
