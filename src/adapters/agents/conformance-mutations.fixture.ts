import type { AgentEvent } from '../../contracts/index.ts';

/** Words that must never decide anything when they stand in what an agent says, reads or writes. */
export const LIMIT_TALK =
  "You've hit your usage limit · resets at 5pm. 429 Too Many Requests: rate limit reached, quota exceeded, overloaded";

/** Lines that no agent prints, between those that it does. */
export const UNKNOWN_LINES: readonly string[] = [
  '{"type":"from_a_later_version","payload":{"deep":[1,2,{"error":"429"}]}}',
  '{"type":42}',
  '{"no":"type"}',
  '{}',
  '[]',
  '[{"type":"result"}]',
  'null',
  '"text"',
  `(node:1) Warning: ${LIMIT_TALK}`,
  '{"type":"result","status":',
  '\u001b[31mcoloured\u001b[0m',
];

/** An unknown line before, between and after all others. */
export function withNoise(lines: readonly string[]): string[] {
  const noise = (index: number) => UNKNOWN_LINES[index % UNKNOWN_LINES.length] ?? '';
  return [...lines.flatMap((line, index) => [noise(index), line]), ...UNKNOWN_LINES];
}

/** The same JSON with the keys of every object in the opposite order. */
export function shuffledKeys(line: string): string {
  return rewritten(line, (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  );
}

/**
 * The lines with talk about limits put before what of them came out as text, as a tool call or as a tool result:
 * into what an agent says, reads and writes, and nowhere else.
 */
export function poisoned(lines: readonly string[], events: readonly AgentEvent[]): string[] {
  const said = events
    .map((event) => {
      if (event.type === 'text') return event.text;
      return event.type === 'tool-call' || event.type === 'tool-result' ? event.summary : '';
    })
    .map((text) => oneLine(text).replace(/…$/, ''))
    .filter((text) => text !== '');
  const isSaid = (value: string) => {
    const line = oneLine(value);
    // A whole text, the whole of what was cut short, or one of several pieces; a single word may be the stream's own.
    return said.some((text) => line.startsWith(text) || (line.includes(' ') && text.includes(line)));
  };
  return lines.map((line) =>
    rewritten(line, (value) => (typeof value === 'string' && isSaid(value) ? `${LIMIT_TALK} ${value}` : value)),
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function rewritten(line: string, change: (value: unknown) => unknown): string {
  try {
    return JSON.stringify(JSON.parse(line, (_, value: unknown) => change(value)));
  } catch {
    return line;
  }
}
