import { budgetText } from '../../../rules/safeguards/index.ts';
import { BREAKER_TONE, elapsed, oneLine, WAIT_TEXT } from '../../../rules/text/index.ts';
import { truncate } from '../layout.ts';
import type { LogState } from '../log-state.ts';
import type { Paint } from '../paint.ts';
import { type ShownWait, timeLeft, waitText } from '../waiting.ts';
import { type Event, type Lines, labelled, type Page } from './page.ts';

/** A note may have pages; without a terminal width to cut it, this much is enough to recognise it. */
const LONGEST_QUOTE = 300;

/** What keeps a run from its next iteration, and what people sent it from outside. */
export const GATE_LINES = {
  wait: (event, { row, paint, oneOfMany }) => [
    row('waits', waitText(event, Date.parse(event.ts)), 'warn'),
    // With several runs on one terminal it would end all of them.
    ...(oneOfMany ? [] : [row('', paint('dim', 'Ctrl-C ends the run'))]),
  ],
  'wait-end': (event, { row, clock }) => {
    const at = clock(event);
    return [row('waited', `${at === null ? '' : `until ${at}, `}${elapsed(event.waitedMs)} (${WAIT_TEXT[event.why]})`)];
  },
  'turn-end': (event, page) => turnEnd(event, page),
  circuit: (event, page) => circuit(event, page),
  budget: ({ overrun, story }, { row }) => [
    row('budget', budgetText(overrun, story === null ? null : oneLine(story)), 'warn'),
  ],
  'agent-switch': ({ from, to, reason }, { row }) => [
    row('agent', `${oneLine(to)} takes over from ${oneLine(from)}${reason ? `: ${oneLine(reason)}` : ''}`, 'warn'),
  ],
  // The event `steering` reports it.
  limits: () => [],
  'exit-condition': ({ name, reason }, { row }) => [row('exit', `${oneLine(name)}: ${oneLine(reason)}`, 'accent')],
  'plugin-failed': ({ plugin, doing, message }, { row }) => [
    row('plugin', `${oneLine(plugin)} is left out: ${oneLine(doing)} failed: ${oneLine(message)}`, 'warn'),
  ],
  steering: ({ text }, { row, quoted }) => [row('steered', quoted(truncate(oneLine(text), LONGEST_QUOTE)), 'accent')],
} satisfies Partial<Lines>;

/** A next turn that may start needs no line, and a wait is reported once. */
function turnEnd({ ts, next, why, until, text }: Event<'turn-end'>, { row, state }: Page): readonly string[] {
  const { toldWait } = state;
  if (next !== 'later' || why === null || (toldWait?.why === why && toldWait.until === until)) return [];
  return [row('waits', waitText({ why, until, text }, Date.parse(ts)), 'warn')];
}

/** What a log without a live line adds during a wait. */
export function timeLeftLine(wait: ShownWait, now: number, paint: Paint): string {
  return labelled(paint, '', paint('dim', timeLeft(wait, now)));
}

/** Only a good iteration, or a person, resolves it; blocking a story only resets the count. */
function closed({ blocked }: LogState, paint: Paint): string {
  return blocked === null
    ? paint(BREAKER_TONE.closed, 'closed again')
    : `the count starts again: ${oneLine(blocked)} is blocked`;
}

/** A warning is one line; an event that ends the run or makes it wait shows everything, once. */
function circuit(
  { to, reason, evidence, fix }: Event<'circuit'>,
  { row, paint, state, verbose }: Page,
): readonly string[] {
  const tone = BREAKER_TONE[to];
  if (to === 'open' && state.openedFor === reason) return [];
  if (to === 'closed') return state.blocked !== null && !verbose ? [] : [row('breaker', closed(state, paint))];
  if (to === 'half-open') return [row('warning', `${oneLine(reason)}; the run stops if that continues`, 'warn')];
  const head = row('breaker', `${paint(tone, to)}: ${oneLine(reason)}`, tone);
  return [
    head,
    ...evidence.map((line) => row('', paint('dim', oneLine(line)))),
    ...fix.map((way, i) => row('', `${i === 0 ? 'fix: ' : '     '}${oneLine(way)}`)),
  ];
}
