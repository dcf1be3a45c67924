import { shortLine } from '../printable.ts';
import { NEW_SESSION } from './api.ts';
import { logEffect, NOTHING, type Step } from './step.ts';

/** A new session has read nothing and heard nothing; a resumed or compacted one goes on. */
export const startSession: Step = ({ source }) =>
  source === 'startup' || source === 'clear' ? { session: NEW_SESSION } : NOTHING;

/** When and how much was asked. Never what: a prompt may hold secrets. */
export const logPrompt: Step = ({ prompt }, { run, now }) =>
  run === null
    ? NOTHING
    : { effects: [logEffect('activity.log', `${new Date(now).toISOString()} prompt length=${prompt.length}\n`)] };

/** In the form of settle's `incomplete:` lines: what, story, epoch seconds, why. */
export const logSessionEnd: Step = ({ source }, { run, now }) =>
  run === null
    ? NOTHING
    : {
        effects: [
          logEffect('sessions.log', `ended:${run.story}:${Math.floor(now / 1000)}:${shortLine(source || 'unknown')}\n`),
        ],
      };
