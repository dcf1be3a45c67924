import { tasksOf } from '../tasks.ts';
import { AGENT_FAULTS } from './agent-faults.ts';
import type { Fault } from './case.ts';

/**
 * Writes a file that no other call writes, and then says so outside of the project: what it said must be reachable
 * for ever. `$HOME` is the folder beside the repository.
 */
export const MARK = `id="$1-$(date +%s%N)-$$"
mkdir -p work && echo "$id" > "work/$id.txt" && echo "$id" >> "$HOME/marks"
`;

const mark = { run: 'sh "$HOME/mark.sh" {{STORY_ID}}-{{MODE}}' };
/** Inside an isolation there is no folder beside the repository; and a person needs a moment. */
const inside = { run: 'mkdir -p work && date +%s%N >work/{{STORY_ID}}-{{MODE}}.txt; sleep 0.5' };
const ready = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const verdict = (review: string): object => ({
  status: { STATUS: 'COMPLETE', REVIEW: review, EXIT_SIGNAL: true, FEEDBACK: 'say it better' },
});
const write = (content: string): object => ({ write: { path: 'src/{{STORY_ID}}.txt', content: `${content}\n` } });

export const storyId = (at: number): string => `US-00${at + 1}`;

/**
 * The steps of a case: the second story breaks a check first and is rolled back, the third is sent back by its review,
 * and faults of the agent strike in the first try of the first. Pure.
 */
export function stepsOf(faults: readonly Fault[]): readonly object[] {
  const wrong = faults.flatMap((fault) => (fault.kind === 'agent' ? [AGENT_FAULTS[fault.does]] : []));
  const first = hasPerson(faults) ? inside : mark;
  const story = (id: string, more: object): object => ({ story: id, mode: 'implement', ...more });
  return [
    ...(wrong[0] ? [{ when: story('US-001', { attempt: 1 }), do: [first, ...wrong[0]] }] : []),
    {
      when: story('US-002', { attempt: 1 }),
      do: [first, { write: { path: 'src/broken.txt', content: 'oh no\n' } }, ready],
    },
    { when: story('US-002', {}), do: [first, write('two'), { commit: 'my own commit' }, ready] },
    { when: story('US-003', {}), do: [first, write('drei'), { progress: 'a note' }, ready] },
    { when: { mode: 'implement' }, do: [first, write('one'), ready] },
    { when: { story: 'US-003', mode: 'review', reviewCount: 0 }, do: [verdict('CHANGES_REQUESTED')] },
    { when: { mode: 'review-fix' }, do: [first, write('three'), ready] },
    { when: { mode: 'review' }, do: [verdict('APPROVED')] },
  ];
}

/** Whether a person works beside the agent. Pure. */
export function hasPerson(faults: readonly Fault[]): boolean {
  return faults.some(({ kind }) => kind === 'person');
}

/** The backlog of a case. Pure. */
export function backlogOf(stories: number): object {
  return tasksOf({
    project: 'torture',
    branchName: 'ralph/test',
    description: 'a project that is tortured',
    verifyCommands: ['sh check.sh'],
    stories: Array.from({ length: stories }, (_, at) => ({ id: storyId(at) })),
  });
}
