import type { NotifySettings } from '../../contracts/config.ts';
import type { RalphEvent } from '../../contracts/events.ts';

/** Tells people who do not watch: by webhooks, on the desktop, by the terminal's bell. */
export interface Notifier {
  /** Never throws, never waits. */
  see(event: RalphEvent): void;
  /** How many webhooks have messages on their way. */
  waiting(): number;
  /**
   * Waits for what is on its way, at most so many milliseconds and until the signal says so; what is left then goes to
   * the dead letters.
   * @returns a sentence for the person for each address at which something did not arrive
   */
  settle(ms: number, leave?: AbortSignal): Promise<readonly string[]>;
}

export interface NotifierInput {
  readonly settings: NotifySettings;
  /** Name of the project, for the receiver. */
  readonly project: string;
  /** `<git dir>/ralph`: where dead letters are kept, out of reach of isolated agents. */
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** JSON without secrets. */
  readonly toJson: (value: unknown) => string;
  /** Rings the terminal's bell; null where there is no terminal. */
  readonly ring: (() => void) | null;
  /** Told once about each thing that cannot be used. Must not throw. */
  readonly warn: (text: string) => void;
}

/** A message as it is sent; the same at every try. */
export interface Message {
  /** Unique, for receivers that see a message twice. */
  readonly id: string;
  /** Type of the event. */
  readonly type: string;
  /** A CloudEvent as JSON. */
  readonly body: string;
}

/** Where messages go. */
export interface Address {
  readonly url: string;
  /** For people and logs: without anything that may be a secret. */
  readonly shown: string;
  /** Names the address in the dead letters, without telling it. */
  readonly key: string;
  /** What signs a message; null sends it unsigned. */
  readonly sign: Sign | null;
  /** What proves that a text was kept by somebody who has the secret; null where there is none. */
  readonly seal: Seal | null;
}

/** The signature of a message that is sent at this moment, in seconds since 1970. */
export type Sign = (id: string, seconds: number, body: string) => string;

/** The proof of a text. It is no signature: no receiver takes it for one. */
export type Seal = (text: string) => string;

/** What came of sending a message. `status` is null where there was no answer. */
export type Delivery =
  | { readonly ok: true; readonly status: number; readonly tries: number }
  | { readonly ok: false; readonly status: number | null; readonly why: string };
