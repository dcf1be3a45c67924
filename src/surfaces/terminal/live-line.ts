import { dollars, elapsed, MODE_TEXT, stopwatch, tokens, WAIT_TEXT } from '../../rules/text/index.ts';
import { displayWidth, truncate } from './layout.ts';
import { type AgentNow, HOUR, type LogState } from './log-state.ts';
import type { Paint } from './paint.ts';
import { type ShownWait, timeLeft } from './waiting.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

/** A longer activity gets its own clock, beside that of the iteration. */
const LONG_MS = 10_000;

/** After this long without a sign of life the line says so instead of "thinking". */
const SILENT_MS = 180_000;

/** Columns reserved for the activity; figures that do not fit beside it are left out. */
const LEAST_FACTS = 40;

/**
 * The one line that changes during an activity; null when there is none. At most `columns - 1` wide, so that it never
 * wraps. Pure.
 */
export function renderLive(state: LogState, now: number, columns: number, paint: Paint): string | null {
  if (state.waiting) return renderWait(state.waiting, now, columns, paint);
  const whole = factsOf(state, now);
  if (whole === null) return null;
  const frame = SPINNER[Math.floor(now / FRAME_MS) % SPINNER.length] ?? '';
  const room = columns - 1 - 2;
  const figures = figuresOf(state, now);
  const endBeside = (facts: string) => endOf(figures, room - Math.min(displayWidth(facts), LEAST_FACTS));
  // The header of the iteration names mode and story: the current activity needs the room more.
  const fits = displayWidth(whole) <= room - endBeside(whole).length;
  const facts = fits ? whole : (factsOf(state, now, false) ?? whole);
  const end = endBeside(facts);
  // The figures at the end stay readable: a long command in the middle is cut instead.
  return `${paint('accent', frame)} ${truncate(facts, room - end.length)}${paint('dim', end)}`;
}

/**
 * The same for a log without a live line, without what changes from frame to frame; null when there is no activity.
 * Pure.
 */
export function renderProgress(state: LogState, now: number): string | null {
  const facts = factsOf(state, now);
  return state.waiting || facts === null ? null : [facts, ...figuresOf(state, now)].join(' · ');
}

/** Which iteration and for how long, its purpose, and the exact activity; outside iterations how long that takes. */
function factsOf(state: LogState, now: number, withStory = true): string | null {
  const { iteration, iterationSince, since } = state;
  if (state.doing === null) return null;
  return [
    iterationSince === null ? stopwatch(now - since) : `[${iteration}] ${stopwatch(now - iterationSince)}`,
    ...(withStory && state.mode && state.story ? [`${MODE_TEXT[state.mode]} ${state.story}`] : []),
    doingNow(state, now),
  ].join(' · ');
}

function doingNow(state: LogState, now: number): string {
  const { doing, agent, againAt, iterationSince, since } = state;
  if (againAt !== null) return `${doing} ${stopwatch(againAt - now)}`;
  if (agent?.tool) {
    const { name, what } = agent.tool;
    // Before the command, whose end may be cut off.
    return [name, ...clockOf(now - agent.tool.since), what].join(' ').trimEnd();
  }
  if (agent && doing === 'thinking') return thinking(agent, now);
  return [doing, ...(iterationSince === null ? [] : clockOf(now - since))].join(' ');
}

function thinking({ heardAt, idleTimeoutMs }: AgentNow, now: number): string {
  const silentMs = now - heardAt;
  return silence(silentMs, idleTimeoutMs) ?? ['thinking', ...clockOf(silentMs)].join(' ');
}

/** How long the agent has been silent, and when it is stopped for that; null for a short silence. Pure. */
export function silence(ms: number, idleTimeoutMs: number | null): string | null {
  if (ms < SILENT_MS) return null;
  const end = idleTimeoutMs === null ? '' : `, stopped at ${elapsed(idleTimeoutMs)}`;
  return `no sign of life for ${Math.floor(ms / 60_000)}m${end}`;
}

function clockOf(ms: number): readonly string[] {
  return ms < LONG_MS ? [] : [stopwatch(ms)];
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

/** A share only of a known window: the count itself is never wrong. */
function contextText({ agent, windows }: LogState, used: number): string {
  const window = agent && Object.hasOwn(windows, agent.model) ? windows[agent.model] : undefined;
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
