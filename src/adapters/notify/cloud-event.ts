import type { RalphEvent } from '../../contracts/events.ts';
import type { Message, NotifierInput } from './port.ts';

/** Longest text within an event: receivers refuse what is large, and the whole of it is in the event log. */
const LONGEST_TEXT = 4_000;

export interface Told {
  readonly project: string;
  /** The story of the event's iteration; null for what belongs to none. */
  readonly story: string | null;
  readonly id: string;
}

/** An event as a message: a CloudEvent 1.0 in its structured form. */
export function messageOf(event: RalphEvent, { project, story, id }: Told, toJson: NotifierInput['toJson']): Message {
  const { ts, run, type } = event;
  const body = toJson({
    specversion: '1.0',
    id,
    source: `/ralph/${encodeURIComponent(project)}`,
    type: `dev.ralph.${type}`,
    subject: run,
    time: ts,
    datacontenttype: 'application/json',
    data: shortened({ project, story, ...event }),
  });
  return { id, type, body };
}

function shortened(value: object): unknown {
  const text = JSON.stringify(value, (_key, part) =>
    typeof part === 'string' && part.length > LONGEST_TEXT ? `${part.slice(0, LONGEST_TEXT)}…` : part,
  );
  return JSON.parse(text);
}
