import { dollars, stopwatch, tokens } from './format.ts';
import { HOUR, type LogState } from './log-state.ts';
import type { Paint } from './paint.ts';
import { type ShownWait, timeLeft } from './waiting.ts';
import { truncate } from './width.ts';
import { MODE_TEXT, WAIT_TEXT } from './words.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

/** A tool that takes longer has a clock of its own. */
const LONG_TOOL_MS = 10_000;

/** After so long without a sign of life the line says so instead of "thinking". */
const SILENT_MS = 180_000;

/** Columns that what happens keeps beside the figures; those that do not fit beside it are left out. */
const LEAST_FACTS = 36;

/** The one line that changes while something goes on; null when nothing does. At most `columns - 1` wide, so that it never wraps. Pure. */
export function renderLive(state: LogState, now: number, columns: number, paint: Paint): string | null {
  if (state.waiting) return renderWait(state.waiting, now, columns, paint);
  const facts = factsOf(state, now);
  if (facts === null) return null;
  const frame = SPINNER[Math.floor(now / FRAME_MS) % SPINNER.length] ?? '';
  const room = columns - 1 - 2;
  const end = endOf(figuresOf(state, now), room - Math.min(facts.length, LEAST_FACTS));
  // The figures at the end stay readable: a long command in the middle is what gives way.
  return `${paint('accent', frame)} ${truncate(facts, room - end.length)}${paint('dim', end)}`;
}

/** The same for a log that has no live line, without what changes from frame to frame; null when nothing goes on. Pure. */
export function renderProgress(state: LogState, now: number): string | null {
  const facts = factsOf(state, now);
  return state.waiting || facts === null ? null : [facts, ...figuresOf(state, now)].join(' · ');
}

/** Since when, what for, and what exactly. */
function factsOf(state: LogState, now: number): string | null {
  if (state.doing === null) return null;
  return [
    stopwatch(now - state.since),
    ...(state.mode && state.story ? [`${MODE_TEXT[state.mode]} ${state.story}`] : []),
    doingNow(state, now),
  ].join(' · ');
}

function doingNow({ doing, agent }: LogState, now: number): string {
  if (agent?.tool) {
    const { name, what, since } = agent.tool;
    // In front of the command, whose end may be cut off.
    return now - since < LONG_TOOL_MS
      ? `${name} ${what}`.trimEnd()
      : `${name} ${stopwatch(now - since)} ${what}`.trimEnd();
  }
  const silentMs = agent ? now - agent.heardAt : 0;
  return doing === 'thinking' && silentMs >= SILENT_MS
    ? `no sign of life for ${Math.floor(silentMs / 60_000)}m`
    : (doing ?? '');
}

/** The most important one first. */
function figuresOf(state: LogState, now: number): readonly string[] {
  const cost = state.costUsd + (state.agent?.costUsd ?? 0);
  return [
    ...(state.contextTokens === null ? [] : [`context ${contextText(state, state.contextTokens)}`]),
    ...(cost > 0 ? [dollars(cost)] : []),
    ...callsLeft(state, now),
  ];
}

/** A share only of a window that somebody told: the count itself is never wrong. */
function contextText({ agent, windows }: LogState, used: number): string {
  const window = agent ? windows[agent.model] : undefined;
  return window === undefined || window <= 0 ? tokens(used) : `${Math.round((used / window) * 100)}%`;
}

function callsLeft({ calls, callLimit }: LogState, now: number): readonly string[] {
  if (callLimit === null) return [];
  const left = Math.max(0, callLimit - calls.filter((call) => call > now - HOUR).length);
  return [`${left} ${left === 1 ? 'call' : 'calls'} left`];
}

/** As many of the figures as fit. */
function endOf(figures: readonly string[], room: number): string {
  for (let count = figures.length; count > 0; count -= 1) {
    const end = ` · ${figures.slice(0, count).join(' · ')}`;
    if (end.length <= room) return end;
  }
  return '';
}

function renderWait(wait: ShownWait, now: number, columns: number, paint: Paint): string {
  const what = wait.until === null ? '' : ` · ${WAIT_TEXT[wait.why]}`;
  return `${paint('warn', '⏸')} ${truncate(timeLeft(wait, now) + what, columns - 1 - 2)}`;
}
