import { type DeliverOptions, deliver } from './deliver.ts';
import type { Address, Message } from './port.ts';

/** Messages that wait for one address; what is beyond gives way, the oldest first. */
const MOST_WAITING = 100;

/** The word that must not get lost. */
const LAST_WORD = 'run-end';

/** Sends the messages of one address, one after the other. */
export interface Outbox {
  /** Never throws, never waits. */
  post(message: Message): void;
  /** Is something on its way? */
  isBusy(): boolean;
  /** Resolves when nothing is left, or nothing is tried any more. */
  drained(): Promise<void>;
  /** Ends all tries: what was not delivered is undelivered now. */
  close(): void;
}

/**
 * @param undelivered told of each message that was given up, with the reason; must not throw
 */
export function createOutbox(
  address: Address,
  options: Pick<DeliverOptions, 'retries' | 'firstWaitMs'>,
  undelivered: (message: Message, why: string) => void,
): Outbox {
  const closing = new AbortController();
  const waiting: Message[] = [];
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      const delivery = await deliver(address, message, { ...options, signal: closing.signal });
      if (!delivery.ok) undelivered(message, delivery.why);
    }
    working = null;
  }

  function makeRoom(): void {
    if (waiting.length <= MOST_WAITING) return;
    const oldest = waiting.findIndex(({ type }) => type !== LAST_WORD);
    const [dropped] = waiting.splice(Math.max(0, oldest), 1);
    if (dropped) undelivered(dropped, 'too many messages waited for the address');
  }

  return {
    post(message) {
      waiting.push(message);
      makeRoom();
      working ??= work();
    },
    isBusy: () => working !== null,
    drained: () => working ?? Promise.resolve(),
    close: () => closing.abort(),
  };
}
