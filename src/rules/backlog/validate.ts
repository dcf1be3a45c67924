import type { Problem, Story } from '../../contracts/index.ts';
import type { BacklogDocument } from './api.ts';
import { error, warning } from './formats/text.ts';

/** What is wrong with a story, without its id, and what to do; null when it is fine. */
type Finding = readonly [message: string, mend: string] | null;
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
      ? [`passes, but its review stands at ${reviewStatus}`, 'Set "passes" to false until it is approved.']
      : null,
  'invariant/feedback': ({ reviewStatus, reviewFeedback }) =>
    reviewStatus === 'changes_requested' && reviewFeedback.trim() === ''
      ? ['has changes requested without feedback', 'Say in "reviewFeedback" what is to be changed.']
      : null,
  'invariant/done-before-dependency': ({ passes, dependsOn }, _, byId) => {
    const open = passes ? dependsOn.filter((id) => byId.get(id)?.passes === false) : [];
    return open.length > 0
      ? [`is done, but depends on ${open.join(', ')}, still open`, 'Check which of the two is wrong.']
      : null;
  },
  'invariant/done-and-blocked': ({ passes, blocked }) =>
    passes && blocked !== undefined ? ['is done and blocked at once', 'Take "blocked" away.'] : null,
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
    const mend = 'List the project\'s checks, e.g. "verifyCommands": ["npm test"].';
    const message = 'no "verifyCommands": the loop cannot check any work';
    problems.push(warning('schema/no-checks', file, 1, message, mend));
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
