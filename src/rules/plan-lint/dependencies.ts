import type { Plan, PlanRule } from './api.ts';
import { isWorkedOnFirst } from './order.ts';
import { makersOf, type Thing, usersOf } from './things.ts';

/** Named by more than this many stories it is a landmark of the code base, not the work of one story. */
const MOST_USERS = 6;

/** A story that uses by name what another one makes, without depending on it. */
export const missingDependencies: PlanRule = {
  name: 'dependencies/missing',
  check: (plan) => {
    const { open, waitsFor } = plan;
    const goesByPriority = !saysDependencies(plan);
    const makers = makersOf(open);
    const told = new Set<string>();
    return [...usersOf(open, makers)].flatMap(([thing, using]) => {
      const maker = makers.get(thing);
      if (maker === undefined || maker === null || using.length > MOST_USERS) return [];
      return using.flatMap((story) => {
        const pair = `${story.id} ${maker.id}`;
        if (told.has(pair) || waitsFor(story, maker) || waitsFor(maker, story)) return [];
        const isTooEarly = isWorkedOnFirst(story, maker, open);
        if (goesByPriority && !(isTooEarly && isUnmistakable(thing))) return [];
        told.add(pair);
        const order = isTooEarly ? ', comes before it' : '';
        const message = `uses ${thing}, which ${maker.id} makes${order}, and does not depend on it`;
        const suggestion = `add ${JSON.stringify(maker.id)} to its "dependsOn"`;
        return [{ story, remark: { severity: 'hint', message, suggestion } as const }];
      });
    });
  },
};

/** A path, a file or a table; a name such as `WebSocket` may be somebody else's. */
function isUnmistakable(thing: Thing): boolean {
  return /[/ ]/.test(thing);
}

/** A plan of another tool without any dependencies goes by its priorities, and that is fine while they are right. */
function saysDependencies({ backlog: { format, stories } }: Plan): boolean {
  return format === 'tasks-json' || stories.some(({ dependsOn }) => dependsOn.length > 0);
}
