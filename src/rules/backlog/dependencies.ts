import type { Problem, Story } from '../../contracts/model.ts';
import { nearest } from '../nearest.ts';

/** Looking for the nearest id reads them all: a file in which every dependency is unknown must not take minutes. */
const HINTS = 20;

/** Problems of `dependsOn`: ids that no story has, and every cycle, named in full. One pass over the stories. */
export function checkDependencies(byId: ReadonlyMap<string, Story>, file: string): Problem[] {
  const problems: Problem[] = [];
  let looksAhead = false;
  for (const story of byId.values()) {
    for (const id of story.dependsOn) {
      const wanted = byId.get(id);
      if (wanted) {
        looksAhead ||= wanted.line >= story.line;
        continue;
      }
      const hint = problems.length < HINTS ? nearest(id, byId.keys()) : null;
      problems.push({
        severity: 'error',
        rule: 'schema/unknown-dependency',
        file,
        line: story.line,
        message: `${story.id}: depends on ${JSON.stringify(id)}, which is no story of this backlog`,
        mend: hint ? `Did you mean "${hint}"?` : 'Add that story, or take the id out of its dependencies.',
        story: story.id,
      });
    }
  }
  // Stories that only wait for what stands above them, as in most files, cannot wait for each other.
  for (const cycle of looksAhead ? findCycles(byId) : []) {
    const [first] = cycle;
    if (!first) continue;
    const path = [...cycle, first].map((story) => story.id).join(' → ');
    problems.push({
      severity: 'error',
      rule: 'schema/dependency-cycle',
      file,
      line: first.line,
      message: `stories wait for each other: ${path}`,
      mend: 'Take one of these dependencies away.',
      story: first.id,
    });
  }
  return problems;
}

/** Cycles met by one depth-first walk; its own stack, because a chain of dependencies may be 100,000 stories long. */
function findCycles(byId: ReadonlyMap<string, Story>): Story[][] {
  const cycles: Story[][] = [];
  const finished = new Set<Story>();
  for (const root of byId.values()) {
    if (finished.has(root)) continue;
    if (root.dependsOn.every((id) => isFinished(id))) {
      finished.add(root);
      continue;
    }
    const path: { story: Story; next: number }[] = [{ story: root, next: 0 }];
    const onPath = new Map<Story, number>([[root, 0]]);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const id = step.story.dependsOn[step.next++];
      if (id === undefined) {
        path.pop();
        onPath.delete(step.story);
        finished.add(step.story);
        continue;
      }
      const wanted = byId.get(id);
      if (!wanted || finished.has(wanted)) continue;
      const from = onPath.get(wanted);
      if (from !== undefined) cycles.push(path.slice(from).map((entry) => entry.story));
      else {
        onPath.set(wanted, path.length);
        path.push({ story: wanted, next: 0 });
      }
    }
  }
  return cycles;

  function isFinished(id: string): boolean {
    const story = byId.get(id);
    return story === undefined || finished.has(story);
  }
}
