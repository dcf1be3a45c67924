import type { RunPhase } from '../../contracts/index.ts';
import { dollars, elapsed, MODE_TEXT, oneLine, stopwatch, tokens, WAIT_TEXT } from '../../rules/text/index.ts';
import type { Now, RunView } from '../../rules/view/index.ts';
import { displayWidth, truncate } from './layout.ts';
import type { Paint } from './paint.ts';
import { type ShownWait, timeLeft } from './waiting.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

/** A longer activity gets its own clock, beside that of the iteration. */
const LONG_MS = 10_000;

/** After this long without any output the line says so instead of "thinking". */
const SILENT_MS = 180_000;

/** Columns reserved for the activity; figures that do not fit beside it are left out. */
const LEAST_FACTS = 40;

const HOUR_MS = 3_600_000;

/** The activities between which nothing is done have no words. */
const DOING: Readonly<Partial<Record<RunPhase, string>>> = {
  starting: 'getting ready',
  baseline: 'getting ready',
  checkpoint: 'checkpoint',
  agent: 'thinking',
  settling: 'settling',
  check: 'settling',
  concluding: 'concluding',
  retrying: 'waiting to try again',
};

/** Whether something is being done, rather than waited for. */
export function isAtWork({ phase, since }: Now): boolean {
  // Before the first event nothing has begun.
  return since > 0 && Object.hasOwn(DOING, phase);
}

/** What this process waits for; null when it does not. Between two turns there is no process to wait. */
export function currentWait({ phase, waiting }: Now): ShownWait | null {
  return phase === 'waiting' ? waiting : null;
}

/**
 * The one line that changes during an activity; null when there is none. At most `columns - 1` wide, so that it never
 * wraps. Pure.
 */
export function renderLive(view: RunView, now: number, columns: number, paint: Paint): string | null {
  const waiting = currentWait(view.now);
  if (waiting) return renderWait(waiting, now, columns, paint);
  if (!isAtWork(view.now)) return null;
  const whole = factsOf(view, now, true);
  const frame = SPINNER[Math.floor(now / FRAME_MS) % SPINNER.length] ?? '';
  const room = columns - 1 - 2;
  const figures = figuresOf(view, now);
  const endBeside = (facts: string) => endOf(figures, room - Math.min(displayWidth(facts), LEAST_FACTS));
  // The header of the iteration names mode and story: the current activity needs the room more.
  const fits = displayWidth(whole) <= room - endBeside(whole).length;
  const facts = fits ? whole : factsOf(view, now, false);
  const end = endBeside(facts);
  // The figures at the end stay readable: a long command in the middle is cut instead.
  return `${paint('accent', frame)} ${truncate(facts, room - end.length)}${paint('dim', end)}`;
}

/**
 * The same for a log without a live line, without what changes from frame to frame; null when there is no activity.
 * Pure.
 */
export function renderProgress(view: RunView, now: number): string | null {
  return isAtWork(view.now) ? [factsOf(view, now, true), ...figuresOf(view, now)].join(' · ') : null;
}

/** Which iteration and for how long, its purpose, and the exact activity; outside iterations how long that takes. */
function factsOf({ now: at, iterations, lastEventAt }: RunView, now: number, withStory: boolean): string {
  const row = at.story === null ? undefined : iterations.findLast(({ iteration }) => iteration === at.iteration);
  return [
    row === undefined ? stopwatch(now - at.since) : `[${row.iteration}] ${stopwatch(now - row.startedAt)}`,
    ...(withStory && row !== undefined ? [`${MODE_TEXT[row.mode]} ${oneLine(row.story)}`] : []),
    doingNow(at, now, lastEventAt),
  ].join(' · ');
}

function doingNow(
  { phase, since, story, tool, check, retry, idleTimeoutMs }: Now,
  now: number,
  heardAt: number,
): string {
  if (retry !== null) {
    const what = phase === 'agent' ? 'waiting for the provider' : (DOING[phase] ?? '');
    return retry.at === null ? what : `${what} ${stopwatch(retry.at - now)}`;
  }
  // The clock is before the command, whose end may be cut off.
  if (tool) return [tool.name, ...clockOf(now - tool.since), tool.what].join(' ').trimEnd();
  if (phase === 'agent')
    return silence(now - heardAt, idleTimeoutMs) ?? ['thinking', ...clockOf(now - heardAt)].join(' ');
  const doing = check === null ? (DOING[phase] ?? '') : `check ${check}`;
  return [doing, ...(story === null ? clockOf(now - since) : [])].join(' ');
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
function figuresOf({ now: { context }, costUsd, calls, limits }: RunView, now: number): readonly string[] {
  const left = limits === null ? null : Math.max(0, limits.calls - calls.filter((at) => at > now - HOUR_MS).length);
  return [
    ...(context === null ? [] : [`context ${contextText(context)}`]),
    ...(costUsd > 0 ? [dollars(costUsd)] : []),
    ...(left === null ? [] : [`${left} ${left === 1 ? 'call' : 'calls'} left`]),
  ];
}

/** A share only of a known window: the count itself is never wrong. */
function contextText({ tokens: used, window }: NonNullable<Now['context']>): string {
  return window === null || window <= 0 ? tokens(used) : `${Math.round((used / window) * 100)}%`;
}

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
