import { signal } from '@preact/signals';
import { getJson, Refused } from '../api.ts';
import { shutOut } from './access.ts';

/** How the page hears from the server. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'shut-out';

/** Of the stream that the page follows now. */
export const connection = signal<Connection>('connecting');

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
/** Browsers allow six connections to a server over all tabs: one that nobody has seen for a while gives its own back. */
const HIDDEN_MS = 60_000;

export interface StreamHandlers {
  /** Asked at every connection: where to go on. */
  readonly address: () => string;
  /** Names of the messages to hear, `message` for those without a name. */
  readonly messages: Readonly<Record<string, (message: MessageEvent<string>) => void>>;
}

/**
 * Follows server-sent events until closed, and connects again by itself, whatever went wrong: the browser's own retry
 * gives up at the first answer that is not 200, as a server gives that is just starting. Where the server does not
 * know the browser any more it says so and rests until the page is looked at again.
 */
export function openStream({ address, messages }: StreamHandlers): { close(): void } {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = FIRST_RETRY_MS;

  const disconnect = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const connect = () => {
    disconnect();
    const opened = new EventSource(address());
    source = opened;
    opened.onopen = () => {
      retryMs = FIRST_RETRY_MS;
      connection.value = 'live';
      shutOut.value = false;
    };
    opened.onerror = () => {
      connection.value = 'reconnecting';
      disconnect();
      const mine = setTimeout(connect, retryMs);
      timer = mine;
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      // An event source does not tell why it broke.
      void isRefused().then((refused) => {
        if (!refused || timer !== mine) return;
        clearTimeout(mine);
        connection.value = 'shut-out';
      });
    };
    for (const [name, hear] of Object.entries(messages)) {
      opened.addEventListener(name, (message) => hear(message));
    }
  };
  const seen = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(disconnect, HIDDEN_MS);
    else if (source === null) connect();
  };
  document.addEventListener('visibilitychange', seen);
  connection.value = 'connecting';
  connect();
  return {
    close() {
      clearTimeout(timer);
      timer = undefined;
      document.removeEventListener('visibilitychange', seen);
      disconnect();
    },
  };
}

/** Whether the server answers, but not to this browser. */
async function isRefused(): Promise<boolean> {
  return getJson('/api/overview').then(
    () => false,
    (problem: unknown) => problem instanceof Refused && problem.status === 401,
  );
}
