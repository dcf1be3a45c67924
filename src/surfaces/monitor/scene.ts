import type { ControlAction, ProjectInfo, RunState, RunSummary } from '../../contracts/index.ts';
import type { RunView, StoryView } from '../../rules/view/index.ts';
import type { Paint } from '../terminal/index.ts';

/**
 * Everything that the monitor knows at one moment; the drawing is a function of this, the user's input and the size.
 */
export interface Scene {
  readonly streams: readonly StreamTab[];
  /** Index into `streams`. */
  readonly selected: number;
  /** The shown run; null while its work tree has none. */
  readonly run: string | null;
  /** Whether it is the newest of its work tree; if so, a newer one replaces it automatically. */
  readonly newest: boolean;
  /** null while the log has not been read. */
  readonly state: RunState | null;
  readonly view: RunView | null;
  /** Requests to the run that it has not carried out yet. */
  readonly asked: Asked | null;
  readonly log: LogView;
  /** Why there is nothing to see, if that is an error. */
  readonly trouble: string | null;
}

export interface StreamTab {
  readonly project: ProjectInfo;
  readonly state: RunState | null;
  /** Its live or newest run, as of the last look; null where there is none. */
  readonly summary: RunSummary | null;
}

/** A run pauses or stops when its iteration has ended, or stops at once. */
export type Asked = 'pause' | 'stop' | 'stop-now';

/** A line of the run log with its styles. */
export interface LogLine {
  readonly text: string;
  /** 0: it belongs to none. */
  readonly iteration: number;
}

export interface LogView {
  readonly brief: readonly LogLine[];
  /** Also what the agent says and each tool it uses. */
  readonly full: readonly LogLine[];
  /** Whether there are older ones that were not loaded. */
  readonly hasOlder: boolean;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What lines are drawn on. */
export interface Canvas {
  readonly paint: Paint;
  readonly width: number;
  readonly height: number;
  readonly now: number;
}

/** A state is shown by a sign and a word: colours may be missing. */
export const STATE_TEXT: Readonly<Record<RunState, string>> = {
  running: '● running',
  waiting: '◌ waiting',
  paused: '◌ paused',
  ended: '■ ended',
  between: '◦ between',
  'cut-off': '✗ cut off',
};

/** The panes, in the order of the tab key. */
export const PANES = ['overview', 'stories', 'log', 'iterations', 'denials & tests'] as const;
export type Pane = (typeof PANES)[number];

export interface Typing {
  readonly kind: 'note' | 'answer' | 'reject' | 'search';
  readonly text: string;
  /** Position of the next character in the text. */
  readonly cursor: number;
  /** For an answer, with the run that was shown. */
  readonly question?: { readonly id: string; readonly text: string; readonly run: string };
  /** For a rejection: the stories with work, the one meant by default first, and the run that was shown. */
  readonly rejectable?: { readonly stories: readonly Pick<StoryView, 'id' | 'title'>[]; readonly run: string };
}

export interface Asking {
  readonly kind: 'confirm';
  readonly text: string;
  readonly action: ControlAction;
  /** What is asked after it, unless `esc` ends it. */
  readonly next?: Asking | null;
}

export interface Message {
  readonly text: string;
  readonly bad: boolean;
}

/** The input state of the user; it does not concern the run. */
export interface Ui {
  readonly pane: Pane;
  /** Lines that the pane is scrolled by: up from the end in the log, down from the top elsewhere. */
  readonly scroll: number;
  readonly help: boolean;
  readonly dialog: Typing | Asking | null;
  /** Only lines of the log with this text are shown. */
  readonly search: string;
  /** Whether the log includes everything that the agent does. */
  readonly verbose: boolean;
  /** The work tree selected in the list, by the id of its project; null while the list is not shown. */
  readonly choosing: string | null;
  /** The result of the last key; stays until the next one, or for some seconds. */
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

/** What a key requests outside the screen. */
export type Wish =
  | { readonly do: 'detach' }
  /** Ctrl-C: detaches too, and ends the run that this was started beside. */
  | { readonly do: 'interrupt' }
  | { readonly do: 'control'; readonly action: ControlAction }
  | { readonly do: 'stream'; readonly index: number }
  /** -1: an older run of the work tree; 1: a newer one. */
  | { readonly do: 'run'; readonly step: -1 | 1 }
  /** What the agent of this iteration did, according to the log; `raw`: everything it printed. */
  | { readonly do: 'agent-log'; readonly iteration: number; readonly raw: boolean }
  | { readonly do: 'older-lines' };

export interface Outcome {
  readonly ui: Ui;
  readonly wish: Wish | null;
}
