import type { RalphEvent } from '../../contracts/events.ts';
import { addressesOf } from './address.ts';
import { noticeFor } from './attention.ts';
import { messageOf } from './cloud-event.ts';
import { dropLetters, keepLetter } from './dead-letters.ts';
import { showOnDesktop, thisMachine } from './desktop.ts';
import { createOutbox } from './outbox.ts';
import type { Message, Notifier, NotifierInput } from './port.ts';

/** Tries after the first one: with their waits about a quarter of a minute. */
const RETRIES = 5;

/** What tells people of a run's events. What cannot be used is told of once, and the rest goes on without it. */
export function openNotifier(input: NotifierInput): Notifier {
  const { settings, project, stateDir, toJson, ring, warn, env } = input;
  const lost = new Map<string, number>();
  /** Whatever is under way beside the outboxes. */
  const pending = new Set<Promise<unknown>>();
  const boxes = addressesOf(settings.webhooks, input).map((address) => ({
    events: address.events,
    outbox: createOutbox(address, { retries: RETRIES }, (message, why) => {
      lost.set(address.shown, (lost.get(address.shown) ?? 0) + 1);
      track(keepLetter(stateDir, address, message, why));
    }),
  }));
  let seen = 0;
  let story: { readonly iteration: number; readonly id: string } | null = null;
  let isDesktopThere = true;

  function track(task: Promise<unknown>): void {
    const settled = task.catch(() => undefined).finally(() => pending.delete(settled));
    pending.add(settled);
  }

  function post(event: RalphEvent): void {
    const takers = boxes.filter(({ events }) => events.has(event.type));
    if (takers.length === 0) return;
    // A run that is started again counts anew: the time tells the two apart.
    const id = `${event.run}/${Date.parse(event.ts)}-${seen}`;
    const of = story?.iteration === event.iteration ? story.id : null;
    const message: Message = messageOf(event, { project, story: of, id }, toJson);
    for (const { outbox } of takers) outbox.post(message);
  }

  function show(event: RalphEvent): void {
    const notice = noticeFor(event, settings.desktop, project);
    if (notice === null || !isDesktopThere) return;
    const showing = showOnDesktop(notice, thisMachine(env)).then((problem) => {
      if (problem !== null && isDesktopThere) warn(`no desktop notifications: ${problem}`);
      if (problem !== null) isDesktopThere = false;
    });
    track(showing);
  }

  return {
    see(event) {
      seen += 1;
      if (event.type === 'select') story = { iteration: event.iteration, id: event.story };
      try {
        post(event);
        show(event);
        if (noticeFor(event, settings.bell, project) !== null) ring?.();
      } catch {
        // An observer cannot stop the loop.
      }
    },
    async settle(ms) {
      await within(ms, Promise.all([...boxes.map(({ outbox }) => outbox.drained()), ...pending]));
      for (const { outbox } of boxes) outbox.close();
      await Promise.all(boxes.map(({ outbox }) => outbox.drained()));
      await within(LAST_WRITES_MS, Promise.all(pending));
      if (lost.size === 0) return null;
      await dropLetters(stateDir, new Set()).catch(() => undefined);
      const counts = [...lost].map(([shown, count]) => `${count} to ${shown}`).join(', ');
      return `not delivered: ${counts}; \`ralph notify retry\` sends them again`;
    },
  };
}

const LAST_WRITES_MS = 1_000;

/** Waits for something, at most so long. */
async function within(ms: number, task: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([task, timeUp]);
  clearTimeout(timer);
}
