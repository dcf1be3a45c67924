import type { Overrun } from '../../contracts/state/run-record.ts';
import { BUDGET } from '../../rules/safeguards/budget-words.ts';
import { clockTime, counted } from '../../surfaces/terminal/format.ts';
import type { Paint } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { timeLeft } from '../../surfaces/terminal/waiting.ts';
import { BREAKER_TONE, WAIT_TEXT } from '../../surfaces/terminal/words.ts';
import type { SafeguardsView } from './safeguards-view.ts';

/** A label, and what stands beside it. */
export type LabelledLine = readonly [label: string, text: string];

const DECIDED = { approve: 'approved', reopen: 'opened again', block: 'blocked' } as const;

/** What of the safeguards is worth a look; nothing where nothing has happened yet. Pure. */
export function safeguardsLines(view: SafeguardsView, now: number, paint: Paint): readonly LabelledLine[] {
  const { breaker, calls, budgets, notes, questions, additions, decisions, waivers } = view;
  const isCalm = breaker.state === 'closed' && calls.used === 0 && budgets.length === 0;
  return [
    ...holdsBack(view, now, paint),
    ...(isCalm ? [] : [['limits', limitsText(view, now, paint)] as const]),
    ...(breaker.state === 'closed' ? [] : [['', paint('dim', oneLine(breaker.reason))] as const]),
    ...questions.map(({ id, story, text }) => ['asks', `${id} on ${oneLine(story)}: ${oneLine(text)}`] as const),
    ...additions.map(
      ({ story }) => ['new', `${oneLine(`${story.id} ${story.title}`)} is added before the next iteration`] as const,
    ),
    ...decisions.map(
      ({ story, decision }) =>
        ['decided', `${oneLine(story)} is ${DECIDED[decision]} before the next iteration`] as const,
    ),
    ...waivers.map(
      ({ story, finding }) =>
        ['waived', `${finding} of ${oneLine(story)} is waived before the next iteration`] as const,
    ),
    ...(notes.length === 0 ? [] : [['notes', `${notesText(notes)} ${paint('dim', '(ralph steer)')}`] as const]),
  ];
}

function holdsBack(
  { waiting, providerLimit, paused, stop }: SafeguardsView,
  now: number,
  paint: Paint,
): readonly LabelledLine[] {
  if (waiting) {
    const why = waiting.until === null ? '' : ` · ${WAIT_TEXT[waiting.why]}`;
    return [['waits', paint('warn', timeLeft(waiting, now)) + why]];
  }
  if (providerLimit) {
    const { reason } = providerLimit;
    return [['provider', `${paint('warn', timeLeft(providerLimit, now))} · ${oneLine(reason)}`]];
  }
  if (stop !== null) return [['stops', paint('warn', stop === 'now' ? 'now' : 'before the next iteration')]];
  return paused ? [['pauses', paint('warn', 'before the next iteration; ralph resume takes it back')]] : [];
}

function limitsText({ breaker, calls, budgets }: SafeguardsView, now: number, paint: Paint): string {
  const next = calls.freeAt === null ? '' : paint('warn', ` (the next at ${clockTime(calls.freeAt, now)})`);
  return [
    `breaker ${paint(BREAKER_TONE[breaker.state], breaker.state)}`,
    `${calls.used} of ${counted(calls.limit, 'call')} in the last hour${next}`,
    ...budgets.map((budget) => budgetShare(budget, paint)),
  ].join(' · ');
}

function budgetShare({ budget, spent, limit }: Overrun, paint: Paint): string {
  const { amount } = BUDGET[budget];
  const text = `${amount(spent)} of ${amount(limit)}`;
  return spent >= limit ? paint('warn', text) : text;
}

function notesText(notes: readonly string[]): string {
  return notes.length === 1 ? '1 waits for the next prompt' : `${notes.length} wait for the next prompt`;
}
