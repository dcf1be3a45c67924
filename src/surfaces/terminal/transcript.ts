import type { AgentEvent } from '../../contracts/index.ts';
import { oneLine, safeLines } from '../../rules/text/index.ts';
import { truncate } from './layout.ts';
import type { RenderOptions } from './lines/page.ts';

type Options = Pick<RenderOptions, 'paint' | 'columns'> & {
  /** Lines shown of each call, and of each result. */
  readonly most: number;
};

/** What an agent said, called and got back. */
type Part = { readonly kind: 'said' | 'called' | 'got' | 'failed'; readonly title: string; readonly text: string };

const INDENT = { said: '', called: '  ', got: '    ', failed: '    ' } as const;

/**
 * An agent's whole output as people read it: what it said at the margin, below it its calls, below these their results.
 * Pure.
 * @param output lines of JSON, in the agent's own format
 * @param events the same as the loop understood it, shortened: for agents whose format is not known here
 */
export function renderTranscript(
  output: string,
  events: readonly AgentEvent[],
  { paint, columns, most }: Options,
): readonly string[] {
  const whole = output.split('\n').flatMap((line) => partsOf(parsed(line)));
  const parts = whole.length > 0 ? whole : events.flatMap(partsOf);
  return parts.flatMap(({ kind, title, text }) => {
    const indent = INDENT[kind];
    const lines = text.trim() === '' ? [] : safeLines(text.trim());
    const shown = kind === 'said' ? lines : lines.slice(0, most).map((line) => truncate(line, columns - indent.length));
    const left = lines.length - shown.length;
    const tone = kind === 'failed' ? 'bad' : 'dim';
    const painted = kind === 'said' ? shown : shown.map((line) => paint(tone, line));
    const more = left > 0 ? [paint('dim', `… ${left} more ${left === 1 ? 'line' : 'lines'}`)] : [];
    const head = kind === 'said' ? [''] : title === '' ? [] : [`${INDENT.called}${paint('accent', title)}`];
    const body =
      kind === 'called'
        ? [...painted, ...more].map((line) => `    ${line}`)
        : [...painted, ...more].map((line) => indent + line);
    return [...head, ...body.map((line) => line.trimEnd())];
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The parts of one line: one of our events, or a message with blocks. */
function partsOf(wire: unknown): readonly Part[] {
  if (!isObject(wire)) return [];
  switch (wire['type']) {
    case 'text':
      return [{ kind: 'said', title: '', text: textIn(wire['text']) }];
    case 'tool-call':
      return [called(wire['name'], wire['summary'])];
    case 'tool-result':
      return [result(wire['ok'] !== false, wire['summary'])];
    case 'tool_use':
      return [called(wire['name'], wire['input'])];
    case 'tool_result':
      return [result(wire['is_error'] !== true, wire['content'])];
    case 'assistant':
    case 'user': {
      const content = isObject(wire['message']) ? wire['message']['content'] : null;
      // The prompt is a user's message, too, but a text.
      return Array.isArray(content) ? content.flatMap((block: unknown) => partsOf(block)) : [];
    }
    default:
      return [];
  }
}

/** With the one argument beside its name, else each below it. */
function called(name: unknown, input: unknown): Part {
  const title = oneLine(textIn(name));
  if (!isObject(input)) return { kind: 'called', title: `${title} ${oneLine(textIn(input))}`.trim(), text: '' };
  const fields = Object.entries(input).map(
    ([field, value]) => [field, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const [first, ...others] = fields;
  if (first === undefined) return { kind: 'called', title, text: '' };
  const isShort = !first[1].includes('\n');
  const below = isShort ? others : fields;
  return {
    kind: 'called',
    title: isShort ? `${title} ${oneLine(first[1])}` : title,
    text: below.map(([field, text]) => (text.includes('\n') ? `${field}:\n${text}` : `${field}: ${text}`)).join('\n'),
  };
}

function result(ok: boolean, content: unknown): Part {
  const blocks = Array.isArray(content) ? content : [content];
  const text = blocks.map((block: unknown) => (isObject(block) ? textIn(block['text']) : textIn(block))).join('\n');
  return { kind: ok ? 'got' : 'failed', title: '', text: ok ? text : `✗ ${text}` };
}
