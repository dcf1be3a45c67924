import type {
  ControlAction,
  ControlAnswer,
  ProjectInfo,
  RalphEvent,
  RunState,
  RunSummary,
  Story,
  StreamStanding,
  WorkerStanding,
} from '../../contracts/index.ts';
import type { RunView } from '../../rules/view/index.ts';

/*
 * The protocol between dashboard server and page; both import these types.
 *
 *   GET  /?token=T                                       sets the read-only cookie, then redirects to `/#control=T`
 *   GET  /                                               the page, and /app.js, /app.css, /icon.svg
 *   GET  /api/overview                                   Overview
 *   GET  /api/overview/stream                            SSE: `overview`
 *   GET  /api/fleet                                      Fleet, or null when there is none to show
 *   GET  /api/projects/:project/runs/:run                RunSnapshot
 *   GET  /api/projects/:project/runs/:run/stream?after=N SSE: events from line N on; each message's id is its line + 1
 *   GET  /api/projects/:project/runs/:run/lines?…        LinesPage
 *   GET  /api/projects/:project/runs/:run/commits/:id    CommitView, of a commit that the run made
 *   GET  /api/projects/:project/runs/:run/stories/:id    StoryText, of a story that is still in the backlog
 *   GET  /api/projects/:project/runs/:run/report         the report as one HTML file, as a download
 *   POST /api/projects/:project/control                  ControlAction → ControlAnswer; needs `authorization: Bearer T`
 *   GET  /metrics                                        Prometheus text
 *
 * A refusal is JSON: {"error": what, "fix": [ways to fix it]}.
 */

export interface Overview {
  /** Identifies the server: a different one means that it was restarted. */
  readonly server: string;
  readonly version: string;
  readonly projects: readonly ProjectInfo[];
  /** Newest first. */
  readonly runs: readonly RunSummary[];
}

/** The engine's view of a fleet. The files of its runs are on the workers' machines. */
export interface Fleet {
  /** Address of the database, without a password. */
  readonly engine: string;
  /** Epoch ms of the last answer; null: it never answered. */
  readonly at: number | null;
  readonly streams: readonly StreamStanding[];
  readonly workers: readonly WorkerStanding[];
  /** Why it is unreachable now; null when it answers. */
  readonly problem: string | null;
}

export interface RunSnapshot {
  readonly project: ProjectInfo;
  readonly state: RunState;
  readonly view: RunView;
  /** Lines of the log that are in `view`: the stream continues from here. */
  readonly lines: number;
}

/** Query of `lines`; all optional. */
export interface LinesQuery {
  /** The first line to search; with `backwards` the line before which to search. Default: the start, or the end. */
  readonly from?: number;
  readonly backwards?: boolean;
  /** At most 1,000; default 200. */
  readonly count?: number;
  readonly iteration?: number;
  /** Types, comma-separated; `agent:text`, `agent:tool-call` … for what agents do. */
  readonly types?: string;
  /** Text that must occur in the event's content, case-insensitive. */
  readonly q?: string;
}

export interface LinesPage {
  /** In file order. */
  readonly events: readonly (readonly [line: number, event: RalphEvent])[];
  /** Where to continue in the same direction; null at the end (or the start) of the log. */
  readonly next: number | null;
}

export interface CommitView {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly deleted: number | null }[];
  /** Unified diff as text, cut at 1 MiB. */
  readonly patch: string;
  readonly truncated: boolean;
}

/** What the backlog says about a story now. */
export type StoryText = Pick<Story, 'description' | 'acceptanceCriteria' | 'reviewFeedback' | 'notes'>;

export interface Refusal {
  readonly error: string;
  readonly fix?: readonly string[];
}

export type { ControlAction, ControlAnswer, ProjectInfo, RunState, RunSummary, StreamStanding, WorkerStanding };
