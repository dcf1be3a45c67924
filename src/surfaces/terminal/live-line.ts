import { dollars, stopwatch, tokens } from './format.ts';
import type { LogState } from './log-state.ts';
import type { Paint } from './paint.ts';
import { type ShownWait, timeLeft } from './waiting.ts';
import { truncate } from './width.ts';
import { MODE_TEXT, WAIT_TEXT } from './words.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

/** Tokens of the usual model window; beyond it the count itself is shown instead of a share. */
const USUAL_WINDOW = 200_000;

/** The one line that changes while something goes on; null when nothing does. At most `columns - 1` wide, so that it never wraps. Pure. */
export function renderLive(state: LogState, now: number, columns: number, paint: Paint): string | null {
  if (state.waiting) return renderWait(state.waiting, now, columns, paint);
  if (state.doing === null) return null;
  const frame = SPINNER[Math.floor(now / FRAME_MS) % SPINNER.length] ?? '';
  const facts = [
    stopwatch(now - state.since),
    ...(state.mode && state.story ? [`${MODE_TEXT[state.mode]} ${state.story}`] : []),
    state.doing,
  ];
  const figures = [
    ...(state.contextTokens === null ? [] : [`context ${share(state.contextTokens)}`]),
    ...(state.costUsd > 0 ? [dollars(state.costUsd)] : []),
  ];
  // The figures at the end stay readable: a long command in the middle is what gives way.
  const end = figures.length > 0 ? ` · ${figures.join(' · ')}` : '';
  const text = truncate(facts.join(' · '), columns - 1 - 2 - end.length);
  return `${paint('accent', frame)} ${text}${paint('dim', end)}`;
}

function renderWait(wait: ShownWait, now: number, columns: number, paint: Paint): string {
  const what = wait.until === null ? '' : ` · ${WAIT_TEXT[wait.why]}`;
  return `${paint('warn', '⏸')} ${truncate(timeLeft(wait, now) + what, columns - 1 - 2)}`;
}

function share(contextTokens: number): string {
  return contextTokens > USUAL_WINDOW ? tokens(contextTokens) : `${Math.round((contextTokens / USUAL_WINDOW) * 100)}%`;
}
