import type { Backlog, Story } from '../../contracts/model.ts';
import type { Plan, PlanFacts, PlanRemark, PlanRule, StoryRule } from './api.ts';
import { uselessChecks } from './checks.ts';
import { criteriaRules, noCriteriaRule, testsRule } from './criteria.ts';
import { missingDependencies } from './dependencies.ts';
import { duplicates } from './duplicates.ts';
import { layerOrder, priorityOrder } from './order.ts';
import { sizeRules } from './size.ts';
import { vagueRule } from './vague.ts';
import { checksRule, prdRule } from './whole-plan.ts';

const STORY_RULES: readonly StoryRule[] = [...sizeRules, ...criteriaRules, vagueRule];
const PLAN_RULES: readonly PlanRule[] = [
  prdRule,
  checksRule,
  uselessChecks,
  noCriteriaRule,
  testsRule,
  layerOrder,
  priorityOrder,
  missingDependencies,
  duplicates,
];

/** Whoever has more than this to mend in one story rewrites it anyway. */
const MOST_PER_STORY = 4;

/**
 * What would make the open stories of a plan better: first what concerns the whole plan, then story by story in the
 * order of the file, warnings before hints and at most four each. Pure; linear but for stories that share a topic.
 */
export function lintPlan(backlog: Backlog, facts: PlanFacts): readonly PlanRemark[] {
  // A lone prompt is one story without an end, and nobody's plan.
  if (backlog.format === 'prompt') return [];
  const plan = planOf(backlog, facts);
  const whole: PlanRemark[] = [];
  const byStory = new Map<Story, PlanRemark[]>(plan.open.map((story) => [story, []]));
  for (const { name, check } of STORY_RULES) {
    for (const story of plan.open) {
      const remark = check(story, plan);
      if (remark) byStory.get(story)?.push({ rule: name, story: story.id, line: story.line, ...remark });
    }
  }
  for (const { name, check } of PLAN_RULES) {
    for (const { story, remark } of check(plan)) {
      if (story === null) whole.push({ rule: name, story: null, line: 1, ...remark });
      else byStory.get(story)?.push({ rule: name, story: story.id, line: story.line, ...remark });
    }
  }
  const ofStories = [...byStory.values()].flatMap((remarks) => warningsFirst(remarks).slice(0, MOST_PER_STORY));
  return [...warningsFirst(whole), ...ofStories];
}

function warningsFirst(remarks: readonly PlanRemark[]): readonly PlanRemark[] {
  const warns = ({ severity }: PlanRemark) => severity === 'warning';
  return [...remarks.filter(warns), ...remarks.filter((remark) => !warns(remark))];
}

function planOf(backlog: Backlog, facts: PlanFacts): Plan {
  const byId = new Map(backlog.stories.map((story) => [story.id, story]));
  const known = new Map<Story, ReadonlySet<Story>>();
  const waitsFor = (story: Story, other: Story) => {
    const found = known.get(story) ?? everythingBefore(story, byId);
    known.set(story, found);
    return found.has(other);
  };
  return { backlog, facts, open: backlog.stories.filter((story) => !story.passes), waitsFor };
}

/** Every story that one waits for; with a list of its own, for chains of dependencies may be long. */
function everythingBefore(story: Story, byId: ReadonlyMap<string, Story>): ReadonlySet<Story> {
  const found = new Set<Story>();
  const todo = [story];
  for (let next = todo.pop(); next; next = todo.pop()) {
    for (const id of next.dependsOn) {
      const before = byId.get(id);
      if (!before || found.has(before)) continue;
      found.add(before);
      todo.push(before);
    }
  }
  return found;
}
