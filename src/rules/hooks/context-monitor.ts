import { contextUse } from './context-use.ts';
import { eventEffect, NOTHING, type Step } from './step.ts';

interface Threshold {
  readonly percent: number;
  readonly level: 'notice' | 'warning' | 'critical';
  readonly inRun: string;
  readonly interactive: string;
}

const FINISH_SOON = {
  level: 'notice',
  inRun: 'Plan to finish this story within what is left, and read no more than it needs.',
  interactive: 'Plan to finish the task at hand within what is left.',
} as const;
const HAND_OVER = {
  level: 'warning',
  inRun:
    'Finish what you are doing. Write what remains as follow-up stories, note in the progress log what the next session must know, then commit.',
  interactive: 'Finish what you are doing, write down what the next session must know, and commit.',
} as const;
const STOP_NOW = {
  level: 'critical',
  inRun:
    'Start nothing new: write hand-over notes into the progress log and follow-up stories for the rest, commit all changes, and stop.',
  interactive: 'Start nothing new: write hand-over notes, commit, and go on in a fresh session.',
} as const;

/** Ascending. */
const THRESHOLDS: readonly Threshold[] = [
  { percent: 50, ...FINISH_SOON },
  { percent: 60, ...FINISH_SOON },
  { percent: 70, ...HAND_OVER },
  { percent: 80, ...HAND_OVER },
  { percent: 90, ...STOP_NOW },
];

/** Below this, thresholds that were announced are armed again: the context was compacted. */
const REARM_BELOW = 50;

/** Tells the agent once per threshold how full its context is. A subagent has a context of its own, which nobody told us of. */
export const watchContext: Step = (event, context) => {
  const use = event.subagent === '' ? contextUse(event, context) : null;
  if (use === null) return NOTHING;
  const { session } = context;
  if (use.percent < REARM_BELOW) {
    return session.announced.size === 0 ? NOTHING : { session: { ...session, announced: new Set() } };
  }
  const reached = THRESHOLDS.filter(({ percent }) => percent <= use.percent);
  const highest = reached.at(-1);
  if (highest === undefined || session.announced.has(highest.percent)) return NOTHING;
  const { level, inRun, interactive } = highest;
  const size = `${use.percent} % of the context is used (${use.tokens} of ${use.window} tokens).`;
  return {
    answer: {
      kind: 'context',
      text: `[ralph: context ${level}] ${size} ${context.run === null ? interactive : inRun}`,
    },
    // What was skipped on the way up would only repeat it more mildly.
    session: { ...session, announced: new Set([...session.announced, ...reached.map(({ percent }) => percent)]) },
    effects: [eventEffect({ type: 'context-use', ...use })],
  };
};
