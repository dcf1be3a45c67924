import type { Problem, Story } from '../../contracts/index.ts';
import type { BacklogDocument } from './api.ts';

/** A rule for one story of a readable backlog; the message leaves out the story's id. */
interface ValidationRule {
  readonly name: string;
  readonly severity: Problem['severity'];
  readonly check: (story: Story, context: Context) => { readonly message: string; readonly mend: string } | null;
}

interface Context {
  readonly document: BacklogDocument;
  readonly byId: ReadonlyMap<string, Story>;
}

const RULES: readonly ValidationRule[] = [
  {
    name: 'schema/criteria',
    severity: 'error',
    check: (story, { document }) =>
      document.format === 'tasks-json' && !story.acceptanceCriteria.some((criterion) => criterion.trim() !== '')
        ? { message: 'has no acceptance criteria', mend: 'Write at least one sentence that can be checked.' }
        : null,
  },
  {
    name: 'invariant/approved-passes',
    severity: 'warning',
    check: (story) =>
      story.reviewStatus === 'approved' && !story.passes
        ? { message: 'is approved, but "passes" is false', mend: 'Set "passes" to true, or "reviewStatus" to null.' }
        : null,
  },
  {
    name: 'invariant/passes-under-review',
    severity: 'warning',
    check: (story) =>
      story.passes && story.reviewStatus !== null && story.reviewStatus !== 'approved'
        ? {
            message: `passes, but its review stands at ${story.reviewStatus}`,
            mend: 'Set "passes" to false until it is approved.',
          }
        : null,
  },
  {
    name: 'invariant/feedback',
    severity: 'warning',
    check: (story) =>
      story.reviewStatus === 'changes_requested' && story.reviewFeedback.trim() === ''
        ? { message: 'has changes requested without feedback', mend: 'Say in "reviewFeedback" what is to be changed.' }
        : null,
  },
  {
    name: 'invariant/done-before-dependency',
    severity: 'warning',
    check: (story, { byId }) => {
      const open = story.passes ? story.dependsOn.filter((id) => byId.get(id)?.passes === false) : [];
      return open.length > 0
        ? {
            message: `is done, but depends on ${open.join(', ')}, still open`,
            mend: 'Check which of the two is wrong.',
          }
        : null;
    },
  },
  {
    name: 'invariant/done-and-blocked',
    severity: 'warning',
    check: (story) =>
      story.passes && story.blocked !== undefined
        ? { message: 'is done and blocked at once', mend: 'Take "blocked" away.' }
        : null,
  },
];

/**
 * The problems that `ralph validate` reports beyond the schema: missing criteria are errors; contradictions between
 * fields are warnings, since imported backlogs and earlier runs without review may contain them.
 */
export function validateBacklog(document: BacklogDocument): Problem[] {
  const { stories, verifyCommands } = document.backlog;
  const context = { document, byId: new Map(stories.map((story) => [story.id, story])) };
  const problems: Problem[] = [];
  const { file } = document;
  if (document.format === 'tasks-json' && stories.length === 0) {
    const mend = 'Add one with `ralph stories add`.';
    problems.push({
      severity: 'warning',
      rule: 'schema/no-stories',
      file,
      line: 1,
      message: 'there are no stories',
      mend,
    });
  }
  if (document.format === 'tasks-json' && verifyCommands.length === 0) {
    const mend = 'List the project\'s checks, e.g. "verifyCommands": ["npm test"].';
    const message = 'no "verifyCommands": the loop cannot check any work';
    problems.push({ severity: 'warning', rule: 'schema/no-checks', file, line: 1, message, mend });
  }
  for (const story of stories) {
    for (const { name, severity, check } of RULES) {
      const found = check(story, context);
      if (!found) continue;
      const message = `${story.id}: ${found.message}`;
      problems.push({ severity, rule: name, file, line: story.line, message, mend: found.mend, story: story.id });
    }
  }
  return problems;
}
