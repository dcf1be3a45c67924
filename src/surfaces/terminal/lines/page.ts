import type { EventBody, EventEnvelope } from '../../../contracts/index.ts';
import type { Tone } from '../../../rules/text/index.ts';
import { truncate } from '../layout.ts';
import type { LogState } from '../log-state.ts';
import type { Paint } from '../paint.ts';

export interface RenderOptions {
  readonly paint: Paint;
  /** Also what the agent says and each tool it uses. */
  readonly verbose: boolean;
  /** Width to which quoted lines (tools, output of checks) are cut; ralph's own lines are never cut. */
  readonly columns: number;
  /** Other runs are reported on the same terminal. Default: it is the only one. */
  readonly oneOfMany?: boolean;
}

export interface Page extends RenderOptions {
  readonly state: LogState;
  /** A labelled line of an iteration's block; without a label it continues the one above. */
  readonly row: (label: string, text: string, tone?: Tone) => string;
  /** `text` cut to the width left beside a label. */
  readonly quoted: (text: string) => string;
}

export type EventType = EventBody['type'];

/** One kind of event, with its envelope. */
export type Event<T extends EventType> = EventEnvelope & Extract<EventBody, { readonly type: T }>;

/** The lasting lines of some kinds of event; an empty list where the live line or the summary covers it. */
export type Lines<T extends EventType> = {
  readonly [Kind in T]: (event: Event<Kind>, page: Page) => readonly string[];
};

const LABEL_WIDTH = 10;
const INDENT = 2;

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
    quoted: (text) => truncate(text, columns - LABEL_WIDTH - INDENT),
  };
}
