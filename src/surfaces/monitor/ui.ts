import type { ControlAction } from '../../contracts/control.ts';

/** What can be looked at, in the order of the tab key. */
export const PANES = ['overview', 'stories', 'log', 'iterations', 'denials & tests'] as const;
export type Pane = (typeof PANES)[number];

/** A line that is being typed. */
export interface Typing {
  readonly kind: 'note' | 'answer' | 'search';
  readonly text: string;
  /** Where in the text the next character goes. */
  readonly cursor: number;
  /** Of an answer. */
  /** With the run that was shown. */
  readonly question?: { readonly id: string; readonly text: string; readonly run: string };
}

/** Something that needs a yes. */
export interface Asking {
  readonly kind: 'confirm';
  readonly text: string;
  readonly action: ControlAction;
}

export interface Message {
  readonly text: string;
  readonly bad: boolean;
}

/** What the person at the keyboard is doing: nothing of it is of the run. */
export interface Ui {
  readonly pane: Pane;
  /** Lines that the pane was moved by: up from the end in the log, down from the top elsewhere. */
  readonly scroll: number;
  readonly help: boolean;
  readonly dialog: Typing | Asking | null;
  /** Only lines of the log with this text are shown. */
  readonly search: string;
  /** Is everything that the agent does in the log? */
  readonly verbose: boolean;
  /** The work tree that is pointed at in the list of them, by the id of its project; null while the list is not shown. */
  readonly choosing: string | null;
  /** What came of the last key; stays until the next one, or for some seconds. */
  readonly message: Message | null;
}

export const FIRST_UI: Ui = {
  pane: 'overview',
  scroll: 0,
  help: false,
  dialog: null,
  search: '',
  verbose: false,
  choosing: null,
  message: null,
};

/** What a key asks of others than the screen. */
export type Wish =
  | { readonly do: 'detach' }
  /** Ctrl-C: detaches too, and ends the run that this was started beside. */
  | { readonly do: 'interrupt' }
  | { readonly do: 'control'; readonly action: ControlAction }
  | { readonly do: 'stream'; readonly index: number }
  /** -1: an older run of the work tree; 1: a newer one. */
  | { readonly do: 'run'; readonly step: -1 | 1 }
  /** What the agent of this iteration did, as the log tells it; `raw`: everything it printed. */
  | { readonly do: 'agent-log'; readonly iteration: number; readonly raw: boolean }
  | { readonly do: 'older-lines' };

export interface Outcome {
  readonly ui: Ui;
  readonly wish: Wish | null;
}
