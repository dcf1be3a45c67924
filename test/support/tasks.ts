/** A native backlog as people write it, field by field; what is absent gets its default. */
export interface Tasks {
  readonly project?: string;
  readonly branchName: string;
  readonly description?: string;
  readonly verifyCommands?: readonly string[];
  readonly stories: readonly Readonly<Record<string, unknown>>[];
}

/** `US-001` for 0. */
export function storyIdAt(at: number): string {
  return `US-${String(at + 1).padStart(3, '0')}`;
}

/** Stories that nobody worked on yet. */
export function freshStories(count: number): readonly { readonly id: string; readonly title: string }[] {
  return Array.from({ length: count }, (_, at) => ({ id: storyIdAt(at), title: `story ${at + 1}` }));
}

/** A story with every field that a native backlog has. */
export function wholeStory(story: Readonly<Record<string, unknown>>, at = 0) {
  return {
    title: `story ${story['id']}`,
    description: '',
    acceptanceCriteria: ['it works'],
    priority: at + 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
    ...story,
  };
}

/** What a `tasks.json` says. */
export function tasksOf({ project = 'test', branchName, description = '', verifyCommands = [], stories }: Tasks) {
  return { project, branchName, description, verifyCommands, userStories: stories.map(wholeStory) };
}

/** The text of a `tasks.json`. */
export function tasksText(tasks: Tasks): string {
  return `${JSON.stringify(tasksOf(tasks), null, 2)}\n`;
}
