import type { NotifyWhen } from '../../contracts/config.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import { shortLine } from '../../rules/printable.ts';
import { budgetText } from '../../rules/safeguards/budget-words.ts';

/** What a person who looks elsewhere is told. Safe lines: parts of them are an agent's. */
export interface Notice {
  readonly title: string;
  readonly text: string;
}

/** What an event has to say to somebody who wants to be told `when`; null when it is nothing. Pure. */
export function noticeFor(event: RalphEvent, when: NotifyWhen, project: string): Notice | null {
  if (when === 'never') return null;
  const found = event.type === 'run-end' ? ended(event.reason, event.summary) : when === 'end' ? null : calls(event);
  if (found === null) return null;
  const [what, text] = found;
  return { title: shortLine(`ralph ${what} · ${project}`, 80), text: shortLine(text, 200) };
}

type Words = readonly [what: string, text: string];

function ended(reason: string, summary: string): Words {
  return [reason === 'complete' ? 'is done' : 'has ended', `${reason}: ${summary}`];
}

/** Whatever keeps the run, or a story, until a person does something. */
function calls(event: RalphEvent): Words | null {
  switch (event.type) {
    case 'wait':
      return event.until === null ? ['waits for you', event.text] : null;
    case 'question':
      return ['asks', `${event.question} on ${event.story}: ${event.text}`];
    case 'circuit':
      return event.to === 'open' ? ['is not getting anywhere', `the circuit breaker is open: ${event.reason}`] : null;
    case 'budget':
      return ['has spent a budget', budgetText(event.overrun, event.story)];
    default:
      return null;
  }
}
