import { dollars, elapsed, stopwatch, tokens } from './format.ts';
import { type AgentNow, HOUR, type LogState } from './log-state.ts';
import type { Paint } from './paint.ts';
import { type ShownWait, timeLeft } from './waiting.ts';
import { displayWidth, truncate } from './width.ts';
import { MODE_TEXT, WAIT_TEXT } from './words.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

/** What takes longer has a clock of its own, beside that of the iteration. */
const LONG_MS = 10_000;

/** After so long without a sign of life the line says so instead of "thinking". */
const SILENT_MS = 180_000;

/** Columns that what happens keeps beside the figures; those that do not fit beside it are left out. */
const LEAST_FACTS = 40;

/** The one line that changes while something goes on; null when nothing does. At most `columns - 1` wide, so that it never wraps. Pure. */
export function renderLive(state: LogState, now: number, columns: number, paint: Paint): string | null {
  if (state.waiting) return renderWait(state.waiting, now, columns, paint);
  const whole = factsOf(state, now);
  if (whole === null) return null;
  const frame = SPINNER[Math.floor(now / FRAME_MS) % SPINNER.length] ?? '';
  const room = columns - 1 - 2;
  const figures = figuresOf(state, now);
  const endBeside = (facts: string) => endOf(figures, room - Math.min(displayWidth(facts), LEAST_FACTS));
  // The header of the iteration names mode and story: what happens now needs the room more.
  const fits = displayWidth(whole) <= room - endBeside(whole).length;
  const facts = fits ? whole : (factsOf(state, now, false) ?? whole);
  const end = endBeside(facts);
  // The figures at the end stay readable: a long command in the middle is what gives way.
  return `${paint('accent', frame)} ${truncate(facts, room - end.length)}${paint('dim', end)}`;
}

/** The same for a log that has no live line, without what changes from frame to frame; null when nothing goes on. Pure. */
export function renderProgress(state: LogState, now: number): string | null {
  const facts = factsOf(state, now);
  return state.waiting || facts === null ? null : [facts, ...figuresOf(state, now)].join(' · ');
}

/** Which iteration and for how long, what for, and what exactly; outside of iterations how long that takes. */
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
    // In front of the command, whose end may be cut off.
    return [name, ...clockOf(now - agent.tool.since), what].join(' ').trimEnd();
  }
  if (agent && doing === 'thinking') return thinking(agent, now);
  return [doing, ...(iterationSince === null ? [] : clockOf(now - since))].join(' ');
}

function thinking({ heardAt, idleTimeoutMs }: AgentNow, now: number): string {
  const silentMs = now - heardAt;
  if (silentMs < SILENT_MS) return ['thinking', ...clockOf(silentMs)].join(' ');
  const strikes = idleTimeoutMs === null ? '' : `, stopped at ${elapsed(idleTimeoutMs)}`;
  return `no sign of life for ${Math.floor(silentMs / 60_000)}m${strikes}`;
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

/** A share only of a window that somebody told: the count itself is never wrong. */
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
