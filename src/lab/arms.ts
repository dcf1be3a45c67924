import { UsageError } from '../contracts/index.ts';
import type { LabArm, LabResult, LabTask } from '../rules/lab/index.ts';

/** Every agent with every prompt, with or without review. @throws UsageError for an agent without a name */
export function armsOf(
  agents: readonly string[],
  prompts: readonly string[],
  reviews: readonly boolean[],
): readonly LabArm[] {
  return agents.flatMap((named) =>
    prompts.flatMap((prompt) =>
      reviews.map((review) => {
        const [, agent, model] = /^([^:]+)(?::(.+))?$/.exec(named) ?? [];
        if (agent === undefined)
          throw new UsageError({ what: `--agents does not take '${named}'; accepted: AGENT or AGENT:MODEL` });
        const parts = [named, ...(prompt === DEFAULT_PROMPT ? [] : [prompt]), ...(review ? [] : ['no review'])];
        return { name: parts.join(' · '), agent, model: model ?? null, prompt, review };
      }),
    ),
  );
}

export const DEFAULT_PROMPT = 'default';

export interface Planned {
  readonly task: LabTask;
  readonly arm: LabArm;
  readonly repeat: number;
}

/**
 * What is left to try, task by task, so that an early end leaves arms that can be compared. The order of the arms is
 * rotated: none of them always has the busiest hour. An attempt that ended in an error is tried again.
 */
export function attemptsLeft(
  tasks: readonly LabTask[],
  arms: readonly LabArm[],
  repeats: number,
  results: readonly LabResult[],
): readonly Planned[] {
  const keyOf = (task: string, arm: string, repeat: number) => JSON.stringify([task, arm, repeat]);
  const done = new Set(
    results.flatMap((one) => (one.outcome === 'error' ? [] : [keyOf(one.task, one.arm.name, one.repeat)])),
  );
  const planned: Planned[] = [];
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const [at, task] of tasks.entries()) {
      const first = (at + repeat - 1) % arms.length;
      for (const arm of [...arms.slice(first), ...arms.slice(0, first)])
        if (!done.has(keyOf(task.id, arm.name, repeat))) planned.push({ task, arm, repeat });
    }
  }
  return planned;
}

/** The first `N` tasks, or those whose ids begin as named; undefined: all. @throws UsageError */
export function chosenTasks(tasks: readonly LabTask[], asked: string | undefined): readonly LabTask[] {
  if (asked === undefined) return tasks;
  // Ids are hexadecimal: a short number is a count.
  if (/^[1-9]\d{0,3}$/.test(asked)) return tasks.slice(0, Number(asked));
  const named = asked.split(',').map((part) => part.trim());
  return named.flatMap((name) => {
    const found = tasks.filter(({ id }) => name !== '' && id.startsWith(name));
    if (found.length === 1) return found;
    throw new UsageError({
      what: `${found.length === 0 ? 'no task' : 'more than one task'} begins with '${name}'`,
      fix: ['`ralph lab mine` lists the tasks', '--tasks takes a number, or ids separated by commas'],
    });
  });
}
