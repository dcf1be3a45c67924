import type { EventBody, RalphEvent } from '../../contracts/events.ts';
import { iterationsUsed } from '../../rules/safeguards/attempts.ts';
import type { Crew, Lane } from './crew.ts';

/** What a lane's own run tells of itself; the run that the lane belongs to tells that for all. */
const NOT_TOLD: ReadonlySet<string> = new Set([
  ...['run-start', 'backlog', 'limits', 'estimate', 'baseline', 'run-end', 'turn-end', 'wait', 'wait-end'],
  ...['circuit', 'budget', 'steering', 'exit-condition', 'recovered'],
]);

/** Tells what happens in a lane as happening in the run, under the number that the iteration has there. */
export function tellOfLane(crew: Crew, lane: Lane, event: RalphEvent): void {
  const { context, numberOf } = crew;
  const { ts: _, run, iteration, ...body } = event;
  if (NOT_TOLD.has(body.type)) return;
  if (iteration === 0) tellOfStart(crew, lane, body as EventBody);
  else {
    const number = numberOf(run, iteration, lane.number);
    context.emit(number, asOfRun(crew, number, body as EventBody));
  }
}

/** Outside of iterations a lane commits only for itself: what that was is part of what lands. */
function tellOfStart({ context }: Crew, { number }: Lane, body: EventBody): void {
  if (body.type === 'commit') return;
  context.emit(0, body.type === 'notice' ? { ...body, text: `lane ${number}: ${body.text}` } : body);
}

/** How far the run is, not the lane: all that began before count as used, but for those that ended and are free. */
function asOfRun({ context: { ledger, run, steering } }: Crew, number: number, body: EventBody): EventBody {
  if (body.type !== 'select') return body;
  const ended = ledger.filter((line) => line.kind === 'iteration' && line.run === run).length;
  const free = ended - iterationsUsed(ledger, run);
  return { ...body, used: number - 1 - free, limit: steering.limits().maxIterations };
}
