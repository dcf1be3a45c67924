import type { Problem, Story } from '../../contracts/model.ts';

export interface Resolved {
  readonly stories: readonly Story[];
  readonly problems: readonly Problem[];
}

/**
 * What the stories of a foreign file wait for, as ids: by the exact id, else by the id that a text begins with
 * (`US-001 (login)`, `#3`, `us-1`), else by the title. What means no story of the backlog holds nothing back: it is
 * kept in the notes, and a warning.
 */
export function resolveDependencies(stories: readonly Story[], file: string): Resolved {
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
      // A text that only begins like the story's own id is no circle, and a story that is done waits for nothing.
      else if (id !== story.id || (text === id && !story.passes)) ids.add(id);
    }
    if (unknown.length === 0) return { ...story, dependsOn: [...ids] };
    const words = unknown.join(', ');
    problems.push({
      severity: 'warning',
      rule: 'schema/unknown-dependency',
      file,
      line: story.line,
      message: `${story.id}: ${story.passes ? 'depended' : 'depends'} on ${words}, which no story is called`,
      mend: story.passes
        ? 'Nothing to do: the story is done.'
        : 'Name the story by its id; until then it waits for nothing.',
      story: story.id,
    });
    const notes = [story.notes, `Depends on: ${words}`].filter((part) => part !== '').join('\n');
    return { ...story, dependsOn: [...ids], ...(story.passes ? {} : { notes }) };
  });
  return { stories: resolved, problems };
}

/** Finds the story that a text means, for the story that says it: one of the same phase before others. */
function finder(stories: readonly Story[], exact: ReadonlySet<string>): (text: string, from: string) => string | null {
  const byLooseId = new Map<string, string | null>();
  const byTitle = new Map<string, string | null>();
  // What two stories answer to means neither of them.
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
    const lead = /^[#[(\s]*([\p{L}\p{N}][\p{L}\p{N}._/-]*)/u.exec(text)?.[1]?.replace(/[._/-]+$/, '') ?? '';
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

/** An id without what people write differently: case, signs between the parts, leading zeros. */
function loose(id: string): string {
  return id
    .toLowerCase()
    .replace(/^#/, '')
    .replace(/[\s_-]+/g, '-')
    .replace(/(^|[^\d.])0+(?=\d)/g, '$1');
}
