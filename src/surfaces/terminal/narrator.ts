import type { Mode, RalphEvent } from '../../contracts/index.ts';
import type { Paint } from './paint.ts';

/**
 * What an event means, for a first-time user of ralph; nothing for self-explanatory events. Each explanation is given
 * once: `told` remembers which.
 */
export function narrate(event: RalphEvent, told: Set<string>, paint: Paint): readonly string[] {
  const found = explain(event);
  if (found === null || told.has(found.topic)) return [];
  told.add(found.topic);
  return found.text.map((line) => `  ${paint('accent', '│')} ${line}`);
}

interface Explanation {
  readonly topic: string;
  readonly text: readonly string[];
}

function explain(event: RalphEvent): Explanation | null {
  switch (event.type) {
    case 'select':
      return event.attempt > 1 && event.mode === 'implement' ? RETRY : MODES[event.mode];
    case 'violation':
      return CORRECTED;
    case 'denied':
      return DENIED;
    case 'stop-refused':
      return HELD;
    case 'verdict':
      if (event.verdict === 'rejected') return REJECTED;
      if (event.mode === 'review') return event.claim === 'approved' ? APPROVED : SENT_BACK;
      return null;
    case 'rollback':
      return event.rescue ? RESCUED : null;
    case 'commit':
      return event.iteration > 0 ? COMMITTED : null;
    default:
      return null;
  }
}

const MODES: Readonly<Record<Mode, Explanation>> = {
  implement: {
    topic: 'implement',
    text: [
      'ralph picked the first story that is not done and saved the exact state of the repository.',
      'Now it starts the agent: a new process with an empty memory and this one story.',
    ],
  },
  review: {
    topic: 'review',
    text: [
      'The agent says it is finished. That is a claim, not a fact: a second process, which has',
      'never seen the first one, now reviews the work.',
    ],
  },
  'review-fix': { topic: 'review-fix', text: ['A third process gets the reviewer’s list and mends every item on it.'] },
};

const RETRY: Explanation = {
  topic: 'retry',
  text: [
    'The same story once more, in a fresh process. Its prompt now says what failed, with the output',
    'of the tests and where the rolled-back work is kept.',
  ],
};

const REJECTED: Explanation = {
  topic: 'rejected',
  text: [
    'ralph ran the tests itself. One that was green is red now, so this work is not accepted,',
    'whatever the agent said about it.',
  ],
};

const RESCUED: Explanation = {
  topic: 'rescued',
  text: [
    'Every file that git sees is back to what it was before. The rejected work is a commit',
    'under refs/ralph/rescue, one command away.',
  ],
};

const COMMITTED: Explanation = {
  topic: 'committed',
  text: ['The tests pass in ralph’s own run of them, so the work becomes one commit on the branch.'],
};

const SENT_BACK: Explanation = {
  topic: 'sent-back',
  text: ['The reviewer found something. The story is not done; the findings go to the next process.'],
};

const APPROVED: Explanation = {
  topic: 'approved',
  text: ['Reviewed, and the tests pass once more: only now is the story done.'],
};

const DENIED: Explanation = {
  topic: 'denied',
  text: [
    'Before the agent runs a command, ralph reads it. This one would have rewritten what others',
    'rely on, so it never ran; the agent was told why and what to do instead.',
  ],
};

const HELD: Explanation = {
  topic: 'held',
  text: [
    'The agent wanted to end with its own approval in the backlog. A hook held it back and said',
    'why, so it could mend that itself: it asks for a review now, like everybody else.',
  ],
};

const CORRECTED: Explanation = {
  topic: 'corrected',
  text: [
    'The agent tried to do what only the loop may: ralph put it back, wrote it down, and will',
    'tell the next process. What it could legally ask for, a review, it gets.',
  ],
};
