import type {
  Backlog,
  BacklogFormat,
  Claim,
  Mode,
  Problem,
  RedGreenProof,
  ReviewFinding,
  Story,
  StoryEdit,
  StoryFields,
  TamperFinding,
  Violation,
} from '../../contracts/index.ts';
import { safeStoryId } from './ids.ts';

export interface AcceptedWeakening extends TamperFinding {
  readonly reason: string;
}

/**
 * A backlog on disk: its text and the text of `reviews.json` (null when there is none). Review state of foreign formats
 * (`prd-json`, `markdown`) lives in `reviews.json`; for every format that file holds findings, waivers and receipts.
 */
export interface BacklogDocument {
  readonly format: BacklogFormat;
  /** Relative to the work tree; used in messages. */
  readonly file: string;
  readonly text: string;
  readonly reviewsFile: string;
  readonly reviewsText: string | null;
  readonly backlog: Backlog;
}

export interface LoadInput {
  readonly format: BacklogFormat;
  readonly file: string;
  /** Text, where that is known. */
  readonly bytes: Uint8Array | string;
  readonly reviewsFile: string;
  readonly reviewsBytes: Uint8Array | string | null;
}

/** `document` is null exactly when a problem of severity `error` was found. */
export interface Loaded {
  readonly document: BacklogDocument | null;
  readonly problems: readonly Problem[];
}

export type Selection =
  | { readonly kind: 'work'; readonly mode: Mode; readonly story: Story }
  /** Under `--skip-review`: run the checks of a story that an earlier run left for a review; no agent is needed. */
  | { readonly kind: 'verify'; readonly story: Story }
  | { readonly kind: 'complete' }
  /** Nothing for this lane now, because other lanes work on these stories: ask again when one of them ends. */
  | { readonly kind: 'wait'; readonly stories: readonly string[] }
  /** Every remaining story is blocked or waits for a blocked one. */
  | { readonly kind: 'blocked'; readonly stories: readonly { readonly id: string; readonly reason: string }[] };

export interface SelectOptions {
  readonly skipReview: boolean;
  readonly only?: string;
  readonly taken?: ReadonlySet<string>;
}

export interface Judgement {
  readonly claim: Claim | null;
  readonly violations: readonly Violation[];
  /** Legal changes (titles, notes, new stories …) to apply to the snapshot; never review state of the selected story (the loop writes that from the claim). */
  readonly edits: readonly StoryEdit[];
  /** Worth reporting, but no violation: a missing snapshot, a count above a lowered cap. */
  readonly warnings: readonly string[];
}

export interface JudgeInput {
  readonly mode: Mode;
  readonly selected: string;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  /** null when it is missing: transitions are skipped, invariants apply to every story. */
  readonly snapshot: BacklogDocument | null;
  /** null when the agent's file is missing or unreadable; `problems` then says why. */
  readonly agent: BacklogDocument | null;
  readonly problems: readonly Problem[];
}

/** Evidence kept when a story is approved. */
export interface Receipt {
  readonly story: string;
  readonly approvedAt: string;
  /** `person`: by hand; unverified and without checks unless the loop had approved it too. `converged`: despite `concerns`, nothing new in unchanged work. */
  readonly by: 'review' | 'cap' | 'converged' | 'skip-review' | 'person';
  readonly commits: { readonly base: string; readonly head: string; readonly count: number } | null;
  readonly verified: boolean;
  readonly checks: readonly {
    readonly command: string;
    readonly ok: boolean;
    readonly exitCode: number | null;
    readonly durationMs: number;
    readonly redAtBaseline: boolean;
  }[];
  /** In the clean room, or in the agent's work tree; absent before clean rooms existed, or when unverified. */
  readonly checkedIn?: 'room' | 'tree';
  readonly reviews: number;
  /** Tests seen passing before the story's first iteration and at its approval; null when no output gave a count. */
  readonly tests?: { readonly before: number | null; readonly after: number | null };
  /** Everything its reviews found, and what became of each finding. */
  readonly findings?: readonly ReviewFinding[];
  /** Only with `proof: "red-green"`. */
  readonly proof?: RedGreenProof;
  /** Set when no change was needed: the agent's evidence that the story was done before, which the review checked. */
  readonly alreadyDone?: readonly string[];
  readonly accepted?: readonly AcceptedWeakening[];
  readonly attempts: number;
  readonly costUsd: number | null;
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly durationMs: number;
  readonly concerns?: string;
}

/** The receipt of an approval that no longer counts. */
export type RejectedReceipt = Receipt & { readonly rejectedAt: string };

/** A foreign file after an edit, and the fields that it has no place for, by story id. */
export interface ForeignEdit {
  readonly text: string;
  readonly elsewhere: ReadonlyMap<string, Omit<StoryFields, 'passes'>>;
}

/** The result of parsing a backlog's text; the stories can be trusted only when no problem is an error. */
export interface Parsed {
  readonly format: BacklogFormat;
  readonly backlog: Backlog;
  readonly problems: readonly Problem[];
}

export function blankBacklog(format: BacklogFormat): Backlog {
  return { format, project: null, branchName: null, description: '', verifyCommands: [], stories: [] };
}

/** The result of a file in which no stories can be found at all. */
export function unreadable(format: BacklogFormat, problem: Problem): Parsed {
  return { format, backlog: blankBacklog(format), problems: [problem] };
}

/** A story that was not worked on, with only its name and place known. */
export function blankStory(id: string, title: string, line: number): Story {
  return {
    id,
    safeId: safeStoryId(id),
    title,
    description: '',
    acceptanceCriteria: [],
    priority: 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
    line,
  };
}
