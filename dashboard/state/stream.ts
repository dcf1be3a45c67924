import { signal } from '@preact/signals';
import { getJson, Refused, shutOut } from '../api.ts';

/** The state of the connection to the server. */
type Connection = 'connecting' | 'live' | 'reconnecting' | 'shut-out';

/** Of the stream that the page follows now. */
export const connection = signal<Connection>('connecting');

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
/** Browsers allow six connections to a server over all tabs: a tab that was hidden for a while closes its own. */
const HIDDEN_MS = 60_000;

interface StreamHandlers {
  /** Called at every connection: where to continue. */
  readonly address: () => string;
  /** Handlers by message name, `message` for those without a name. */
  readonly messages: Readonly<Record<string, (message: MessageEvent<string>) => void>>;
}

/**
 * Follows server-sent events until closed, and reconnects after any failure: the browser's own retry gives up at the
 * first answer that is not 200, such as that of a starting server. When the server does not know the browser any more,
 * it reports that and pauses until the page is visible again.
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
      // An event source does not report why it broke.
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

/** Whether the server answers, but refuses this browser. */
async function isRefused(): Promise<boolean> {
  return getJson('/api/overview').then(
    () => false,
    (problem: unknown) => problem instanceof Refused && problem.status === 401,
  );
}
