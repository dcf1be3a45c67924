import type { ProjectOptions } from './project.ts';

/**
 * Three stories that take every path of the loop: one passes at once, one breaks a check first and is rolled back, one
 * is sent back by its review. What the agent does depends on story, mode, attempt and review count alone, so that an
 * iteration that a crash cut off plays out the same when it is started again.
 */
export const EVENTFUL: ProjectOptions = {
  files: { 'check.sh': 'test ! -e src/broken.txt\n', '.gitignore': 'ignored/\n' },
  verifyCommands: ['sh check.sh'],
  stories: [{ id: 'US-001' }, { id: 'US-002', dependsOn: ['US-001'] }, { id: 'US-003' }],
  steps: [
    { when: { story: 'US-001', mode: 'implement' }, do: [write('src/one.txt', 'one\n'), ready()] },
    {
      when: { story: 'US-002', mode: 'implement', attempt: 1 },
      do: [write('src/broken.txt', 'oh no\n'), write('src/two.txt', 'wrong\n'), ready()],
    },
    {
      when: { story: 'US-002', mode: 'implement' },
      do: [write('src/two.txt', 'two\n'), { commit: 'my own commit' }, ready()],
    },
    {
      when: { story: 'US-003', mode: 'implement' },
      do: [write('src/three.txt', 'drei\n'), { progress: 'a note of the agent' }, ready()],
    },
    {
      when: { story: 'US-003', mode: 'review', reviewCount: 0 },
      do: [verdict('CHANGES_REQUESTED', 'say three, not drei')],
    },
    { when: { story: 'US-003', mode: 'review-fix' }, do: [write('src/three.txt', 'three\n'), ready()] },
    { when: { mode: 'review' }, do: [verdict('APPROVED')] },
  ],
};

/** Subjects of the commits of an undisturbed run, oldest first, without the loop's bookkeeping. */
export const EVENTFUL_COMMITS = [
  'feat(US-001): story US-001',
  'review(US-001): approved',
  'feat(US-002): story US-002',
  'review(US-002): approved',
  'feat(US-003): story US-003',
  'review(US-003): changes requested',
  'fix(US-003): address review feedback',
  'review(US-003): approved',
];

function write(path: string, content: string): object {
  return { write: { path, content } };
}

function ready(): object {
  return { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
}

function verdict(review: string, feedback?: string): object {
  return {
    status: { STATUS: 'COMPLETE', REVIEW: review, EXIT_SIGNAL: true, ...(feedback ? { FEEDBACK: feedback } : {}) },
  };
}
