import type { ModelRequest } from '../support/model-server.ts';
import type { ToolUse, Turn } from '../support/model-turn.ts';
import { NOTES_SERVER } from '../support/notes-server.ts';

/** A request of a scripted agent, however its provider's API words it. */
export interface AgentRequest {
  /** 1 for the first request of an agent process. */
  readonly turn: number;
  /** The whole request as text. */
  readonly raw: string;
}

/** The turn of a conversation that repeats all of it with each request. */
export function turnOf({ messages, raw }: ModelRequest): AgentRequest {
  return { turn: 1 + messages.filter(({ role }) => role === 'assistant').length, raw };
}

export type AgentScript = (request: AgentRequest) => Turn;

/** How an agent calls what every agent can do. */
export interface AgentWords {
  shell(command: string): ToolUse;
  /** A tool of the run, or of another server; without them it claims in its answer. */
  tool?(name: string, input: Readonly<Record<string, unknown>>, server?: string): ToolUse;
}

const NOTES = { command: 'node', args: ['notes.cjs', 'there'], env: { GREETING: 'hi' } };

export const FILES = {
  ...{ 'greet.txt': 'hello\n', 'check.sh': 'grep -q world greet.txt\n', 'AGENTS.md': 'Be polite.\n' },
  ...{ '.mcp.json': JSON.stringify({ mcpServers: { notes: NOTES } }), 'notes.cjs': NOTES_SERVER },
};

const COMPLETE = ['---RALPH_STATUS---', 'STATUS: COMPLETE'];

/** What the model says over the life of one story: it is implemented, claimed, reviewed and approved. */
export function wholeStory({ shell, tool }: AgentWords): AgentScript {
  const turns: Readonly<Record<string, readonly Turn[]>> = {
    implement: [
      { text: 'First I look.', tools: [shell('cat greet.txt; env | grep KEY=; sh check.sh')] },
      { tools: [shell('echo "hello world" > greet.txt && sh check.sh && git add -A && git commit -q -m greet')] },
      ...(tool
        ? [
            {
              tools: [tool('complete_story', { status: 'success', summary: 'It greets the world.', tests: 'passing' })],
            },
            'The story is ready for review.',
          ]
        : [[...COMPLETE, '---END_RALPH_STATUS---'].join('\n')]),
    ],
    review: [
      { tools: [shell('git log --oneline -3 && sh check.sh')] },
      [...COMPLETE, 'REVIEW: APPROVED', '---END_RALPH_STATUS---'].join('\n'),
    ],
  };
  return ({ turn, raw }) => {
    const mode = /Mode: \*\*([a-z-]+)\*\*/.exec(raw)?.[1] ?? '';
    return turns[mode]?.[turn - 1] ?? `I have nothing to say as turn ${turn} of mode '${mode}'.`;
  };
}
