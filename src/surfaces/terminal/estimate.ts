import type { EventBody } from '../../contracts/events.ts';
import { counted, dollars } from './format.ts';
import type { Paint } from './paint.ts';

/** Will the iterations suffice? One line before the first of them. */
export function renderEstimate(estimate: Omit<Extract<EventBody, { type: 'estimate' }>, 'type'>, paint: Paint): string {
  const { storiesLeft, iterationsNeeded, limit, costUsd, enough } = estimate;
  const cost = costUsd === null ? '' : `, about ${dollars(costUsd)}`;
  const needed = `${counted(storiesLeft, 'story', 'stories')} left: about ${counted(iterationsNeeded, 'iteration')}${cost}`;
  if (enough) return `estimate: ${needed}; the limit is ${limit}`;
  return paint('warn', `estimate: ${needed}; the limit of ${limit} will not suffice (ralph run ${iterationsNeeded})`);
}
