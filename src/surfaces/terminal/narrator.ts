import type { RalphEvent } from '../../contracts/index.ts';
import type { Paint } from './paint.ts';

/**
 * What an event means, for a first-time user of ralph; nothing for self-explanatory events. Each explanation is given
 * once: `told` remembers which.
 */
export function narrate(event: RalphEvent, told: Set<string>, paint: Paint): readonly string[] {
  const topic = topicOf(event);
  if (topic === null || told.has(topic)) return [];
  told.add(topic);
  return EXPLANATIONS[topic].map((line) => `  ${paint('accent', '│')} ${line}`);
}

function topicOf(event: RalphEvent): keyof typeof EXPLANATIONS | null {
  switch (event.type) {
    case 'select':
      return event.attempt > 1 && event.mode === 'implement' ? 'retry' : event.mode;
    case 'violation':
    case 'denied':
    case 'stop-refused':
      return event.type;
    case 'verdict':
      if (event.verdict === 'rejected') return 'rejected';
      if (event.mode === 'review') return event.claim === 'approved' ? 'approved' : 'sent-back';
      return null;
    case 'rollback':
      return event.rescue ? 'rescued' : null;
    case 'commit':
      return event.iteration > 0 ? 'committed' : null;
    default:
      return null;
  }
}

const EXPLANATIONS = {
  implement: [
    'ralph picked the first story that is not done and saved the exact state of the repository.',
    'Now it starts the agent: a new process with an empty memory and this one story.',
  ],
  review: [
    'The agent says it is finished. That is a claim, not a fact: a second process, which has',
    'never seen the first one, now reviews the work.',
  ],
  'review-fix': ['A third process gets the reviewer’s list and fixes every item on it.'],
  retry: [
    'The same story once more, in a fresh process. Its prompt now says what failed, with the output',
    'of the tests and where the rolled-back work is kept.',
  ],
  rejected: [
    'ralph ran the tests itself. One that passed before fails now, so this work is not accepted,',
    'although the agent said that it was done.',
  ],
  rescued: [
    'Every file that git sees is back to what it was before. The rejected work is a commit',
    'under refs/ralph/rescue, one command away.',
  ],
  committed: ['The tests pass in ralph’s own run of them, so the work becomes one commit on the branch.'],
  'sent-back': ['The reviewer found something. The story is not done; the findings go to the next process.'],
  approved: ['Reviewed, and the tests pass once more: only now is the story done.'],
  denied: [
    'Before the agent runs a command, ralph reads it. This one would have rewritten what others',
    'rely on, so it never ran; the agent was told why and what to do instead.',
  ],
  'stop-refused': [
    'The agent tried to end with its own approval in the backlog. A hook stopped it and said',
    'why, so the agent fixed that itself: it now asks for a review.',
  ],
  violation: [
    'The agent tried to do what only the loop may: ralph undid it, recorded it, and will tell',
    'the next process. The agent may still ask for a review, and gets one.',
  ],
} as const;
