import type { Problem, Story } from '../../contracts/index.ts';
import { nearest } from '../text/index.ts';
import type { BacklogDocument } from './api.ts';
import { error, warning } from './formats/text.ts';
import { leadingId } from './ids.ts';

/** What is wrong with a story, without its id, and what to do; null when it is fine. */
type Finding = readonly [message: string, fix: string] | null;
type Check = (story: Story, document: BacklogDocument, byId: ReadonlyMap<string, Story>) => Finding;

/** Rules for a story of a readable backlog. Missing criteria are an error, all others a warning. */
const RULES: Readonly<Record<string, Check>> = {
  'schema/criteria': ({ acceptanceCriteria }, { format }) =>
    format === 'tasks-json' && !acceptanceCriteria.some((criterion) => criterion.trim() !== '')
      ? ['has no acceptance criteria', 'Write at least one sentence that can be checked.']
      : null,
  'invariant/approved-passes': ({ reviewStatus, passes }) =>
    reviewStatus === 'approved' && !passes
      ? ['is approved, but "passes" is false', 'Set "passes" to true, or "reviewStatus" to null.']
      : null,
  'invariant/passes-under-review': ({ reviewStatus, passes }) =>
    passes && reviewStatus !== null && reviewStatus !== 'approved'
      ? [`passes, but its reviewStatus is ${reviewStatus}`, 'Set "passes" to false until it is approved.']
      : null,
  'invariant/feedback': ({ reviewStatus, reviewFeedback }) =>
    reviewStatus === 'changes_requested' && reviewFeedback.trim() === ''
      ? ['has changes requested without feedback', 'Say in "reviewFeedback" what to change.']
      : null,
  'invariant/done-before-dependency': ({ passes, dependsOn }, _, byId) => {
    const open = passes ? dependsOn.filter((id) => byId.get(id)?.passes === false) : [];
    return open.length > 0
      ? [`is done, but depends on ${open.join(', ')}, still open`, 'Check which of the two is wrong.']
      : null;
  },
  'invariant/done-and-blocked': ({ passes, blocked }) =>
    passes && blocked !== undefined ? ['is both done and blocked', 'Remove "blocked".'] : null,
};

/**
 * The problems that `ralph validate` reports beyond the schema. Contradictions between fields are warnings, since
 * imported backlogs and earlier runs without review may contain them.
 */
export function validateBacklog(document: BacklogDocument): Problem[] {
  const { stories, verifyCommands } = document.backlog;
  const byId = new Map(stories.map((story) => [story.id, story]));
  const problems: Problem[] = [];
  const { file } = document;
  if (document.format === 'tasks-json' && stories.length === 0) {
    problems.push(warning('schema/no-stories', file, 1, 'there are no stories', 'Add one with `ralph stories add`.'));
  }
  if (document.format === 'tasks-json' && verifyCommands.length === 0) {
    const fix = 'List the project\'s checks, e.g. "verifyCommands": ["npm test"].';
    const message = 'no "verifyCommands": the loop cannot check any work';
    problems.push(warning('schema/no-checks', file, 1, message, fix));
  }
  for (const story of stories) {
    for (const [rule, check] of Object.entries(RULES)) {
      const found = check(story, document, byId);
      if (!found) continue;
      const problem = rule === 'schema/criteria' ? error : warning;
      problems.push(problem(rule, file, story.line, `${story.id}: ${found[0]}`, found[1], story.id));
    }
  }
  return problems;
}

/** Finding the nearest id reads every id: a file in which every dependency is unknown must not take minutes. */
const HINTS = 20;

/** Problems of `dependsOn`: ids that no story has, and every cycle, listed in full. One pass over the stories. */
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
      const message = `${story.id}: depends on ${JSON.stringify(id)}, which is not in this backlog`;
      const fix = hint ? `Did you mean "${hint}"?` : 'Add that story, or remove the id from its dependencies.';
      problems.push(error('schema/unknown-dependency', file, story.line, message, fix, story.id));
    }
  }
  // Stories that depend only on stories above them, as in most files, cannot form a cycle.
  for (const cycle of looksAhead ? findCycles(byId) : []) {
    const [first] = cycle;
    if (!first) continue;
    const message = `stories wait for each other: ${[...cycle, first].map((story) => story.id).join(' → ')}`;
    const fix = 'Remove one of these dependencies.';
    problems.push(error('schema/dependency-cycle', file, first.line, message, fix, first.id));
  }
  return problems;
}

/** Cycles found by one depth-first walk; not recursive, as a chain of dependencies may be 100,000 stories long. */
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

/**
 * The dependencies of a foreign file's stories, as ids: by the exact id, else by the id that a text begins with
 * (`US-001 (login)`, `#3`, `us-1`), else by the title. A text that matches no story blocks nothing: it is kept in the
 * notes, with a warning.
 */
export function resolveDependencies(
  stories: readonly Story[],
  file: string,
): { readonly stories: readonly Story[]; readonly problems: readonly Problem[] } {
  if (stories.every(({ dependsOn }) => dependsOn.length === 0)) return { stories, problems: [] };
  const exact = new Set(stories.map(({ id }) => id));
  if (stories.every(({ dependsOn }) => dependsOn.every((text) => exact.has(text)))) return { stories, problems: [] };
  const find = finder(stories, exact);
  const problems: Problem[] = [];
  const resolved = stories.map((story): Story => {
    const ids = new Set<string>();
    const unknown: string[] = [];
    for (const text of story.dependsOn) {
      const id = find(text, story.id);
      if (id === null) unknown.push(text);
      // A text that only begins like the story's own id is not a cycle, and a done story waits for nothing.
      else if (id !== story.id || (text === id && !story.passes)) ids.add(id);
    }
    if (unknown.length === 0) return { ...story, dependsOn: [...ids] };
    const words = unknown.join(', ');
    const [verb, fix] = story.passes
      ? ['depended', 'Nothing to do: the story is done.']
      : ['depends', 'Use the id of that story; until then this dependency is ignored.'];
    const message = `${story.id}: ${verb} on ${words}, but no story has that name`;
    problems.push(warning('schema/unknown-dependency', file, story.line, message, fix, story.id));
    const notes = [story.notes, `Depends on: ${words}`].filter((part) => part !== '').join('\n');
    return { ...story, dependsOn: [...ids], ...(story.passes ? {} : { notes }) };
  });
  return { stories: resolved, problems };
}

/** Finds the story that a text of another story refers to; stories of the same phase come first. */
function finder(stories: readonly Story[], exact: ReadonlySet<string>): (text: string, from: string) => string | null {
  const byLooseId = new Map<string, string | null>();
  const byTitle = new Map<string, string | null>();
  // A name that fits two stories refers to neither.
  const put = (map: Map<string, string | null>, key: string, id: string): void => {
    map.set(key, map.has(key) ? null : id);
  };
  for (const { id, title } of stories) {
    put(byLooseId, loose(id), id);
    put(byTitle, title.toLowerCase().trim(), id);
  }
  return (text, from) => {
    const namespaced = `${/^(.+)\.[^.]+$/.exec(from)?.[1] ?? ''}.${text}`;
    if (exact.has(namespaced)) return namespaced;
    if (exact.has(text)) return text;
    const lead = leadingId(text);
    if (exact.has(lead)) return lead;
    const worded = /^(?:story|task|issue|feature|item|step|ticket)\s+#?(\S+)/i.exec(text)?.[1]?.replace(/[:,.]+$/, '');
    const found =
      byLooseId.get(loose(text)) ??
      byLooseId.get(loose(lead)) ??
      (worded === undefined ? null : byLooseId.get(loose(worded))) ??
      byTitle.get(text.toLowerCase().trim());
    return found ?? null;
  };
}

/** An id without the parts that are written in different ways: case, signs between the parts, leading zeros. */
function loose(id: string): string {
  return id
    .toLowerCase()
    .replace(/^#/, '')
    .replace(/[\s_-]+/g, '-')
    .replace(/(^|[^\d.])0+(?=\d)/g, '$1');
}
