import type { Backlog, Story } from '../../contracts/index.ts';
import { blankStory } from '../backlog/api.ts';
import type { PlanFacts, PlanRemark } from './api.ts';
import { lintPlan } from './lint.ts';

/** A story that no rule remarks on; `fields` replace what a test is about. */
export function planned(id: string, fields: Partial<Story> = {}): Story {
  return {
    ...blankStory(id, `Count the visitors of gate ${id}`, 1),
    description: 'A sentence or two.',
    acceptanceCriteria: [`gate ${id} shows 3 after three visits`, 'a test covers no visit at all'],
    ...fields,
  };
}

/** What is remarked on these stories, in a project that has checks and a PRD. */
export function remarksOn(
  stories: readonly Story[],
  { facts = {}, ...backlog }: Partial<Backlog> & { readonly facts?: Partial<PlanFacts> } = {},
): readonly PlanRemark[] {
  const whole: Backlog = {
    format: 'tasks-json',
    project: 'museum',
    branchName: null,
    description: '',
    verifyCommands: ['npm test'],
    ...backlog,
    stories,
  };
  return lintPlan(whole, { configured: [], detected: [], prd: 'Gates count.', ...facts });
}

/** The same as `rule` or `rule of story`, in the order they come. */
export function told(...line: Parameters<typeof remarksOn>): readonly string[] {
  return remarksOn(...line).map(({ rule, story }) => (story === null ? rule : `${rule} of ${story}`));
}
