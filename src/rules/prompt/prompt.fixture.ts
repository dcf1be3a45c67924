import { aStory } from '../backlog/story.fixture.ts';
import type { PromptInput } from './parts.ts';

/** A first implement iteration of story `US-001`; tests name only what they are about. */
export function aPrompt(input: Partial<PromptInput> = {}): PromptInput {
  return {
    story: aStory('US-001', {
      title: 'Add a greeting',
      description: 'Greets people.',
      acceptanceCriteria: ['says hello', 'says whom'],
    }),
    mode: 'implement',
    format: 'tasks-json',
    skipReview: false,
    keepsCommits: false,
    reviewCap: 5,
    iteration: 3,
    maxIterations: 15,
    projectName: 'demo',
    planPath: 'ralph/tasks.json',
    progressPath: 'ralph/progress.txt',
    prdPath: 'ralph/prd.md',
    prdNumber: null,
    checks: ['npm test'],
    reviewRange: null,
    unchanged: null,
    findings: [],
    proof: null,
    failure: null,
    violations: [],
    tampering: [],
    warnings: [],
    learnedRules: [],
    steer: [],
    answers: [],
    now: Date.UTC(2026, 10, 21),
    ...input,
  };
}
