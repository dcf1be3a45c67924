import type { RalphEvent } from '../../contracts/events.ts';
import { addressesOf } from './address.ts';
import { noticeFor } from './attention.ts';
import { messageOf } from './cloud-event.ts';
import { type DeadLetter, dropLetters, keepLetters, letterOf } from './dead-letters.ts';
import { desktopProblem, showOnDesktop, thisMachine } from './desktop.ts';
import { createOutbox } from './outbox.ts';
import type { Message, Notifier, NotifierInput } from './port.ts';

/** Tries after the first one: with their waits about a quarter of a minute. */
const RETRIES = 5;

/** What tells people of a run's events. What cannot be used is told of once, and the rest goes on without it. */
export function openNotifier(input: NotifierInput): Notifier {
  const { settings, project, stateDir, toJson, ring, warn, env } = input;
  /** By the key of the address: how many, and why the first of them. */
  const lost = new Map<string, { readonly shown: string; readonly count: number; readonly why: string }>();
  /** Whatever is under way beside the outboxes. */
  const pending = new Set<Promise<unknown>>();
  const boxes = addressesOf(settings.webhooks, input).map((address) => ({
    events: address.events,
    outbox: createOutbox(address, { retries: RETRIES }, (message, why) => {
      const before = lost.get(address.key);
      lost.set(address.key, { shown: address.shown, count: (before?.count ?? 0) + 1, why: before?.why ?? why });
      keep(letterOf(address, message, why));
    }),
  }));
  const letters: DeadLetter[] = [];
  let writing = Promise.resolve();
  let seen = 0;
  let story: { readonly iteration: number; readonly id: string } | null = null;
  let isDesktopThere = settings.desktop !== 'never';
  if (isDesktopThere) desktopFailed(desktopProblem(thisMachine(env)));

  function track(task: Promise<unknown>): void {
    const settled = task.catch(() => undefined).finally(() => pending.delete(settled));
    pending.add(settled);
  }

  /** In order, and one write at a time. */
  function keep(letter: DeadLetter): void {
    letters.push(letter);
    writing = writing.then(() => keepLetters(stateDir, letters.splice(0))).catch(() => undefined);
    track(writing);
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
    track(showOnDesktop(notice, thisMachine(env)).then(desktopFailed));
  }

  function desktopFailed(problem: string | null): void {
    if (problem === null || !isDesktopThere) return;
    isDesktopThere = false;
    warn(`no desktop notifications: ${problem}`);
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
    waiting: () => boxes.filter(({ outbox }) => outbox.isBusy()).length,
    async settle(ms, leave) {
      await within(ms, leave, Promise.all([...boxes.map(({ outbox }) => outbox.drained()), ...pending]));
      for (const { outbox } of boxes) outbox.close();
      await Promise.all(boxes.map(({ outbox }) => outbox.drained()));
      await within(LAST_WRITES_MS, undefined, Promise.all(pending));
      if (lost.size === 0) return [];
      await dropLetters(stateDir, new Set()).catch(() => undefined);
      return [...lost.values()].map(
        ({ shown, count, why }) =>
          `not delivered to ${shown}: ${count} ${count === 1 ? 'message' : 'messages'}; ${why}; \`ralph notify retry\` sends again`,
      );
    },
  };
}

const LAST_WRITES_MS = 1_000;

/** Waits for something, at most so long, and not after somebody wants to leave. */
async function within(ms: number, leave: AbortSignal | undefined, task: Promise<unknown>): Promise<void> {
  if (leave?.aborted) return;
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const timer = setTimeout(end, ms);
  leave?.addEventListener('abort', end);
  await Promise.race([task, over]);
  clearTimeout(timer);
  leave?.removeEventListener('abort', end);
}
