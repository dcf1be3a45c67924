import type { Backlog, Story } from '../../contracts/index.ts';

/** A possible improvement to a plan. A remark never forbids anything: the user may know better. */
export interface PlanRemark {
  /** Name of the rule, e.g. `criteria/vague`. */
  readonly rule: string;
  /** Id of the story; null when it concerns the whole plan. */
  readonly story: string | null;
  /** 1-based, in the backlog's file. */
  readonly line: number;
  /** `warning`: likely to cause trouble in a loop; `hint`: worth a look. */
  readonly severity: 'warning' | 'hint';
  readonly message: string;
  /** What to write or do instead. */
  readonly suggestion: string;
}

export interface PlanFacts {
  /** Checks in the settings, in addition to those of the backlog. */
  readonly configured: readonly string[];
  /** Commands that would check this project, detected from its files. */
  readonly detected: readonly string[];
  readonly prd: string | null;
}

/** What a rule finds; `story` is null when it concerns the whole plan. */
export interface Finding extends Pick<PlanRemark, 'severity' | 'message' | 'suggestion'> {
  readonly story: Story | null;
}

export interface Rule {
  readonly name: string;
  readonly check: (plan: Plan) => readonly Finding[];
}

export function warning(story: Story | null, message: string, suggestion: string): Finding {
  return { story, severity: 'warning', message, suggestion };
}

export function hint(story: Story | null, message: string, suggestion: string): Finding {
  return { story, severity: 'hint', message, suggestion };
}

/** A rule that judges each open story on its own. */
export function perStory(name: string, check: (story: Story) => Finding | null): Rule {
  return { name, check: ({ open }) => open.flatMap((story) => check(story) ?? []) };
}

export interface Plan {
  readonly backlog: Backlog;
  readonly facts: PlanFacts;
  /** Stories that are not done, in file order: a done story needs no advice. */
  readonly open: readonly Story[];
  /** Whether `story` depends on `other`, directly or through others. */
  readonly waitsFor: (story: Story, other: Story) => boolean;
}
