import type { Selection } from '../rules/backlog/api.ts';
import type { RunStatus } from './status.ts';

/** A command and why it is the sensible one now. */
export interface NextStep {
  readonly command: string;
  readonly why: string;
}

interface Situation {
  readonly run: RunStatus | null;
  /** Number of stories; null when the backlog cannot be read. */
  readonly stories: number | null;
  readonly upNext: Selection | null;
}

/** The next sensible command. Pure. */
export function nextStep({ run, stories, upNext }: Situation): NextStep {
  if (run?.state === 'running') return { command: 'ralph log', why: 'what it did so far' };
  if (stories === null) return { command: 'ralph validate', why: 'what is wrong with the backlog, and how to mend it' };
  if (stories === 0)
    return { command: 'ralph stories add "Title" -c "criterion"', why: 'there is nothing to work on yet' };
  if (run?.state === 'cut-off') return { command: 'ralph run', why: 'recovers what was cut off, then goes on' };
  switch (upNext?.kind) {
    case 'complete':
      return { command: 'git log', why: 'every story is done: look at the commits' };
    case 'blocked':
      return {
        command: `ralph stories show ${upNext.stories[0]?.id ?? ''}`,
        why: 'see why it is blocked; `ralph stories reset` frees it',
      };
    default:
      return run === null
        ? { command: 'ralph run --dry-run', why: 'the plan and the prompt; then ralph run' }
        : { command: 'ralph run', why: 'goes on with the stories that are left' };
  }
}
