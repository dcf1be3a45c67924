/** The vocabulary of the product. Pure types: nothing here runs. */

export type Mode = 'implement' | 'review' | 'review-fix';

/** A story's place in its review cycle; `null` before the first implementation. */
export type ReviewStatus = null | 'needs_review' | 'changes_requested' | 'approved';

/** What the loop concluded about an iteration. */
export type Verdict =
  | 'accepted'
  | 'advanced'
  | 'rejected'
  | 'no-progress'
  | 'timed-out'
  | 'interrupted'
  | 'agent-error'
  | 'limited';

/** `prompt`: no backlog, only a lone prompt, which counts as one story that never ends. */
export type BacklogFormat = 'tasks-json' | 'prd-json' | 'markdown' | 'prompt';

/** One unit of work that fits into one iteration. */
export interface Story {
  /** The id as written in the file, or derived where the file has none (then unaffected by edits of other stories). */
  readonly id: string;
  /** The id in the form used in refs, paths, branch names, commit messages and prompts. */
  readonly safeId: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  /** Stories with priority 1 come first. */
  readonly priority: number;
  readonly passes: boolean;
  readonly reviewStatus: ReviewStatus;
  readonly reviewCount: number;
  readonly reviewFeedback: string;
  readonly notes: string;
  readonly dependsOn: readonly string[];
  /** Why no agent works on it; absent when it is free. */
  readonly blocked?: string;
  readonly model?: string;
  readonly verifyCommands?: readonly string[];
  readonly paths?: readonly string[];
  readonly estimate?: string | number;
  readonly labels?: readonly string[];
  /** Where the story came from, e.g. the address of a GitHub issue. */
  readonly url?: string;
  /** In a backlog for a folder of clones: the one that it is for. */
  readonly repo?: string;
  /** 1-based line where the story starts in its file. */
  readonly line: number;
}

/** The state of a story, in one or two words. */
export type StoryState = 'done' | 'done, unreviewed' | 'blocked' | 'needs review' | 'changes requested' | 'to do';

/** What lists and boards show of a story. */
export interface StoryRow {
  readonly id: string;
  readonly title: string;
  readonly state: StoryState;
  readonly priority: number;
  readonly dependsOn: readonly string[];
  readonly reviewCount: number;
  /** Why no agent works on it; null when it is free. */
  readonly blocked: string | null;
}

/** The list of stories, in any file format. */
export interface Backlog {
  readonly format: BacklogFormat;
  readonly project: string | null;
  readonly branchName: string | null;
  readonly description: string;
  readonly verifyCommands: readonly string[];
  /** In file order. */
  readonly stories: readonly Story[];
}

/** The fields of a story that an edit may set. `blocked: null` removes it. */
export interface StoryFields {
  title?: string;
  description?: string;
  acceptanceCriteria?: readonly string[];
  priority?: number;
  passes?: boolean;
  reviewStatus?: ReviewStatus;
  reviewCount?: number;
  reviewFeedback?: string;
  notes?: string;
  dependsOn?: readonly string[];
  blocked?: string | null;
}

export type StoryEdit =
  | { readonly kind: 'set'; readonly id: string; readonly fields: StoryFields }
  | { readonly kind: 'add'; readonly story: NewStory };

/** A story to be added; absent fields get the format's default (`passes: false`, `reviewStatus: null`, count 0). */
export interface NewStory {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly acceptanceCriteria?: readonly string[];
  readonly priority?: number;
  readonly dependsOn?: readonly string[];
  readonly notes?: string;
  readonly model?: string;
  readonly verifyCommands?: readonly string[];
}

/**
 * What an agent says about its story: never a fact, always judged. `ready` = "implemented, please review"; under
 * `--skip-review` it makes the story done.
 */
export type Claim =
  | {
      readonly kind: 'ready';
      readonly source: ClaimSource;
      /** The agent says that no change was needed, with these commits, tests or files as evidence. */
      readonly alreadyDone?: readonly string[];
    }
  | {
      readonly kind: 'approved';
      readonly source: ClaimSource;
      readonly notes?: string;
      /** Weakened tests that the reviewer accepts, by their numbers in its prompt. */
      readonly accepted?: readonly AcceptedFinding[];
    }
  | {
      readonly kind: 'changes-requested';
      readonly source: ClaimSource;
      readonly feedback: string;
      /** The individual points, where the reviewer listed them separately; else they are read from the feedback. */
      readonly findings?: readonly SaidFinding[];
    }
  | { readonly kind: 'blocked'; readonly source: ClaimSource; readonly reason: string };

/** `words`: the final message says so outside any block; `resolved`: made by the loop, where no agent worked. */
type ClaimSource = 'tool' | 'backlog' | 'status-block' | 'words' | 'resolved';

/** A rule that an agent broke; the effect is undone, recorded and fed back to the agent. */
export interface Violation {
  /** Name of the rule, e.g. `transition/self-approval`. */
  readonly rule: string;
  readonly story?: string;
  readonly field?: string;
  readonly from?: unknown;
  readonly to?: unknown;
  /** One sentence for the agent: what was wrong and what to do instead. */
  readonly message: string;
}

/**
 * Something a review found wrong. `id` is a fingerprint of file, criterion and claim, so that the same point made by
 * two reviews is one finding.
 */
export interface ReviewFinding {
  /** `F-` and eight hexadecimal digits. */
  readonly id: string;
  /** Relative to the work tree; null when the finding names none. */
  readonly file: string | null;
  /** The unmet acceptance criterion, where the review names it. */
  readonly criterion: string | null;
  /** What is wrong, in the words of the review. */
  readonly claim: string;
  /**
   * `open` until a later review decides; `resolved`: no longer found after a change; `dismissed`: no longer found
   * though nothing changed; `waived`: a person said that it does not matter.
   */
  readonly state: 'open' | 'resolved' | 'dismissed' | 'waived';
  /** Number of the review (1-based) that found it first, and of the last one that did. */
  readonly foundIn: number;
  readonly lastFoundIn: number;
  /** Why a person waived it. */
  readonly reason?: string;
  /** The agents of a panel that found it. */
  readonly by?: readonly string[];
  /** Where no review, but a person asked for it. */
  readonly from?: FindingSource;
}

/** The person who asked for a change: empty for the one who runs the loop. */
export interface FindingSource {
  /** Login of another person on the pull request; absent for a failed check. */
  readonly author?: string;
  /** The comment, or the failed check. */
  readonly url?: string;
  /** Id of the review thread, which is answered once the story is done again. */
  readonly thread?: string;
}

/** One thing that a person wants changed in a story's work. */
export interface RequestedChange {
  readonly text: string;
  /** Relative to the work tree. */
  readonly file?: string;
  readonly line?: number;
  readonly from?: FindingSource;
}

/** A finding as a review states it, before it is known whether it is new. */
export type SaidFinding = Pick<ReviewFinding, 'file' | 'criterion' | 'claim' | 'by'>;

/** Whether the new or changed tests of a story fail without its code and pass with it. */
export interface RedGreenProof {
  /**
   * `proven`; `passes-before`: the tests already pass at the checkpoint, so they prove nothing; `no-tests`: the story
   * changed none; `inconclusive`: it could not be tried, e.g. because the checks are red there even without the tests.
   */
  readonly outcome: 'proven' | 'passes-before' | 'no-tests' | 'inconclusive';
  /** One sentence: for the agent when it is refused, for people otherwise. */
  readonly detail: string;
  /** Test files that the story added or changed. */
  readonly tests: readonly string[];
  readonly command: string | null;
}

/** One command that the loop itself ran, and how it ended. */
export interface CheckResult {
  readonly command: string;
  readonly ok: boolean;
  /** null when killed by a signal or timed out. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** Tail of stdout and stderr combined, in order of arrival. */
  readonly tail: string;
  /** What its output says about tests, if it ran any. */
  readonly tests?: TestCounts;
  /** It did not run: the result comes from an earlier check of the same tree. */
  readonly known?: true;
  /** Red at first, and green in a rerun. */
  readonly flaky?: true;
  /** It ran where the agent works, not in the clean room. */
  readonly inTree?: true;
  /** The install command whose failure kept this check from running. */
  readonly notSetUp?: string;
}

/** The results of a test run; counts are null when its output does not give them. */
export interface TestCounts {
  readonly outcome: 'pass' | 'fail' | 'error' | 'no-tests' | 'unknown';
  readonly passed: number | null;
  readonly failed: number | null;
}

/** Something in a diff that weakens tests or checks. */
export interface TamperFinding {
  readonly kind: string;
  readonly path: string;
  /** 1-based, in the new text, or in the old text for a deletion. */
  readonly line: number;
  /** One sentence for a reviewer. */
  readonly detail: string;
  /** `high`: something that an honest change rarely does. */
  readonly severity: 'high' | 'low';
}

/** What a person has to do or to know at the end of a run. */
export interface UserNeed {
  /**
   * A story waiting for a person, a weakened test, a repeated notice of the run, or rolled-back work of an open story.
   */
  readonly kind: 'story' | 'weakened' | 'notice' | 'rescue';
  readonly what: string;
  /** What helps, usually a command; null when there is nothing to type. */
  readonly command: string | null;
}

/** A weakened test that a reviewer accepts, and the reason. */
export interface AcceptedFinding {
  /** Its number in the prompt of the review, from 1. */
  readonly finding: number;
  readonly reason: string;
}

/** What the loop adds to the context of an agent's process, in estimated tokens. */
export interface AddedTokens {
  /** In the prompt, about the story alone: its block, what failed last time, a person's notes. */
  readonly story: number;
  /** The rest of the prompt. */
  readonly prompt: number;
  /** Definitions of the loop's tools. */
  readonly tools: number;
  /** What hooks told the agent. */
  readonly hooks: number;
}

/** State of the circuit breaker: half-open warns, open lets no iteration start. */
export type BreakerState = 'closed' | 'half-open' | 'open';

/** Why a run ended. */
export type EndReason =
  | 'complete'
  | 'iterations'
  | 'blocked'
  | 'circuit'
  | 'budget'
  | 'limit'
  | 'unavailable'
  | 'stopped'
  | 'once'
  /** An iteration failed, and the person asked to stop at the first one. */
  | 'failure'
  | 'until'
  | 'interrupted'
  | 'terminated'
  /** An exit condition from the settings or a plugin is met. */
  | 'condition'
  | 'error';

/** Why the gate is closed for now. */
export type WaitReason = 'pause' | 'approval' | 'cooldown' | 'limit' | 'rate';

/** The limits that can be changed during a run, named as in the configuration. */
export interface RunLimits {
  readonly maxIterations: number;
  readonly calls: number;
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
  readonly maxDurationMs: number | null;
  readonly storyMaxCost: number | null;
  readonly storyMaxAttempts: number;
}

/** A spent budget. `story` concerns one story, the others the run. */
export interface Overrun {
  readonly budget: 'cost' | 'tokens' | 'duration' | 'story-cost';
  /** US dollars, tokens or milliseconds. */
  readonly spent: number;
  readonly limit: number;
  /** The budget is shared between runs: `limit` is what was left of it, `spent` what this run has used since. */
  readonly shared?: true;
}

/**
 * `approve`: done by a person's decision instead of a review. `reopen`: to be done again, with fresh attempts and
 * reviews.
 */
export type StoryDecision = 'approve' | 'reopen';

/** What an agent's answer signals about the end of the work. */
export interface Signals {
  /** The agent says that the whole work is finished, with a confidence of at least 100. */
  readonly done: boolean;
  /** Words of completion were found, certain or not. */
  readonly completion: boolean;
  /** The iteration did nothing but run or write tests. */
  readonly testOnly: boolean;
  /** 0 and up; 100 is certain, 20 means that work went on. */
  readonly confidence: number;
}

/** Tokens as providers count them; cache reads are separate because they cost a tenth. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** In the order of a story's life. */
export const MODES: readonly Mode[] = ['implement', 'review', 'review-fix'];

/** From good to bad; the last two are no fault of the iteration. */
export const VERDICTS: readonly Verdict[] = [
  'accepted',
  'advanced',
  'rejected',
  'no-progress',
  'timed-out',
  'agent-error',
  'interrupted',
  'limited',
];

/** Exit codes of `ralph run`, and of every other command where they apply. */
export const ExitCode = {
  complete: 0,
  incomplete: 1,
  usage: 2,
  circuitOpen: 3,
  locked: 4,
  budget: 5,
  blocked: 6,
  unavailable: 7,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCodeValue = (typeof ExitCode)[keyof typeof ExitCode];
