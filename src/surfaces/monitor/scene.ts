import type { ProjectInfo, RunState, RunSummary } from '../../contracts/catalogue.ts';
import type { RunView } from '../../rules/view/model.ts';
import type { Paint } from '../terminal/paint.ts';

/** Everything that the monitor knows at one moment; what is drawn is a function of this, the person's doing and the size. */
export interface Scene {
  readonly streams: readonly StreamTab[];
  /** Index into `streams`. */
  readonly selected: number;
  /** The run on show; null while its work tree has none. */
  readonly run: string | null;
  /** Is it the newest of its work tree? Then a newer one takes its place by itself. */
  readonly newest: boolean;
  /** null while the log has not been read. */
  readonly state: RunState | null;
  readonly view: RunView | null;
  /** What the run was asked for and has not done yet. */
  readonly asked: Asked | null;
  /** An agent that gives no sign of life is stopped after this; null while nobody told. */
  readonly idleTimeoutMs: number | null;
  readonly log: LogView;
  /** Why there is nothing to see, where that is an error. */
  readonly trouble: string | null;
}

/** A work tree that can be looked at. */
export interface StreamTab {
  readonly project: ProjectInfo;
  readonly state: RunState | null;
  /** Its live or newest run, as of the last look; null where there is none. */
  readonly summary: RunSummary | null;
}

/** A run pauses and stops when its iteration has ended, or stops at once. */
export type Asked = 'pause' | 'stop' | 'stop-now';

/** A line of the run log with its styles. */
export interface LogLine {
  readonly text: string;
  /** 0: it belongs to none. */
  readonly iteration: number;
}

/** Lines of the run log, oldest first. */
export interface LogView {
  readonly brief: readonly LogLine[];
  /** Also what the agent says and each tool it uses. */
  readonly full: readonly LogLine[];
  /** Are there older ones that were not loaded? */
  readonly hasOlder: boolean;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What lines are drawn on. */
export interface Canvas {
  readonly paint: Paint;
  /** Columns that a line may take. */
  readonly width: number;
  /** Lines that there is room for. */
  readonly height: number;
  /** Epoch ms. */
  readonly now: number;
}

/** Why a state is said by a sign and a word: colours may be missing. */
export const STATE_TEXT: Readonly<Record<RunState, string>> = {
  running: '● running',
  waiting: '◌ waiting',
  paused: '◌ paused',
  ended: '■ ended',
  between: '◦ between',
  'cut-off': '✗ cut off',
};
