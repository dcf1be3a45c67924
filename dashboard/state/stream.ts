import { signal } from '@preact/signals';

/** How the page hears from the server. */
export type Connection = 'connecting' | 'live' | 'reconnecting';

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
 * gives up at the first answer that is not 200, as a server gives that is just starting.
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
    };
    opened.onerror = () => {
      connection.value = 'reconnecting';
      disconnect();
      timer = setTimeout(connect, retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
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
      document.removeEventListener('visibilitychange', seen);
      disconnect();
    },
  };
}
