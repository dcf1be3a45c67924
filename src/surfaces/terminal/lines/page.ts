import type { EventBody, EventEnvelope } from '../../../contracts/index.ts';
import { clockTime, oneLine, type Tone } from '../../../rules/text/index.ts';
import { truncate } from '../layout.ts';
import type { LogState } from '../log-state.ts';
import type { Paint } from '../paint.ts';

export interface RenderOptions {
  readonly paint: Paint;
  /** Also what the agent says and each tool it uses. */
  readonly verbose: boolean;
  /** Width to which quoted lines (tools, output of checks) are cut; ralph's own lines are never cut. */
  readonly columns: number;
  /** Each line gets its time from elsewhere: those that begin an iteration or end a wait need not say it. */
  readonly isStamped?: boolean;
  /** Other runs are reported on the same terminal. Default: it is the only one. */
  readonly oneOfMany?: boolean;
}

export interface Page extends RenderOptions {
  readonly state: LogState;
  /** A labelled line of an iteration's block; without a label it continues the one above. */
  readonly row: (label: string, text: string, tone?: Tone) => string;
  /** `text` cut to the width left beside a label. */
  readonly quoted: (text: string) => string;
  /** `text` cut to two lines of that width. */
  readonly brief: (text: string) => string;
  /** The time of day of an event; null where the line has it already. */
  readonly clock: (event: EventEnvelope) => string | null;
}

/** One kind of event, with its envelope. */
export type Event<T extends EventBody['type']> = EventEnvelope & Extract<EventBody, { readonly type: T }>;

/** The lasting lines of each kind of event; an empty list where the live line or the summary covers it. */
export type Lines = {
  readonly [Kind in EventBody['type']]: (event: Event<Kind>, page: Page) => readonly string[];
};

/** `10:00:18`, in the person's time zone. */
export function timeOfDay(ts: string): string {
  const at = Date.parse(ts);
  return clockTime(at, at);
}

const LABEL_WIDTH = 10;
const INDENT = 2;
const LONGEST_WORD = 16;

/** A labelled line, aligned with those above and below it. */
export function labelled(paint: Paint, label: string, text: string, tone: Tone = 'dim'): string {
  return `${' '.repeat(INDENT)}${paint(tone, label.padEnd(LABEL_WIDTH))}${text}`;
}

export function pageFor(state: LogState, options: RenderOptions): Page {
  const { paint, columns } = options;
  return {
    ...options,
    state,
    row: (label, text, tone) => labelled(paint, label, text, tone),
    clock: ({ ts }) => (options.isStamped ? null : timeOfDay(ts)),
    quoted: (text) => truncate(text, columns - LABEL_WIDTH - INDENT),
    // Lines break between words: some room at their ends stays empty.
    brief: (text) => truncate(text, 2 * (columns - LABEL_WIDTH - INDENT) - LONGEST_WORD),
  };
}

/** A hook reported it, and a hook call can be forged: no surface may show it as a fact, or in green. */
export function testResult(
  { outcome, passed, failed, command, unannounced }: Omit<Event<'test-result'>, keyof EventEnvelope>,
  { paint, quoted }: Pick<Page, 'paint' | 'quoted'>,
  runs = 1,
): string {
  const tone = outcome === 'pass' ? 'dim' : 'warn';
  const counts = [
    ...(passed === null ? [] : [`${passed} passed`]),
    ...(failed === null || failed === 0 ? [] : [`${failed} failed`]),
  ];
  const last = runs > 1 ? ` (the last of ${runs} runs)` : '';
  const facts = `the agent reports ${[outcome, ...counts].join(', ')}${unannounced ? ' of a call that never began' : ''}${last}`;
  // Cut first, painted after: a cut must not split an escape sequence.
  const line = quoted(`${facts} · ${oneLine(command)}`);
  return paint(tone, line.slice(0, facts.length)) + paint('dim', line.slice(facts.length));
}
