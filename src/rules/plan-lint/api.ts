import type { Backlog, Story } from '../../contracts/model.ts';

/** Something that would make a plan better. A remark never forbids anything: a person may know better. */
export interface PlanRemark {
  /** Name of the rule, e.g. `criteria/vague`. */
  readonly rule: string;
  /** Id of the story; null for what concerns the whole plan. */
  readonly story: string | null;
  /** 1-based, in the backlog's file. */
  readonly line: number;
  /** `warning`: a loop is likely to stumble over it; `hint`: worth a look. */
  readonly severity: 'warning' | 'hint';
  readonly message: string;
  /** What to write or do instead. */
  readonly suggestion: string;
}

/** What the rules know beside the backlog. */
export interface PlanFacts {
  /** Checks that the settings name, beside those of the backlog. */
  readonly configured: readonly string[];
  /** Commands that would check this project, as they were found in its files. */
  readonly detected: readonly string[];
  /** Text of the PRD; null when there is none. */
  readonly prd: string | null;
}

/** The part of a remark that a rule says; who calls it knows the rest. */
export interface Remark {
  readonly severity: PlanRemark['severity'];
  readonly message: string;
  readonly suggestion: string;
}

/** Judges one story by itself. */
export interface StoryRule {
  readonly name: string;
  readonly check: (story: Story, plan: Plan) => Remark | null;
}

/** Judges stories against each other, or the plan as a whole. */
export interface PlanRule {
  readonly name: string;
  readonly check: (plan: Plan) => readonly { readonly story: Story | null; readonly remark: Remark }[];
}

/** A backlog, prepared for the rules. */
export interface Plan {
  readonly backlog: Backlog;
  readonly facts: PlanFacts;
  /** Stories that are still to be worked on, in the order of the file: what is done needs no advice. */
  readonly open: readonly Story[];
  /** Does `story` wait for `other`, directly or by way of others? */
  readonly waitsFor: (story: Story, other: Story) => boolean;
}
