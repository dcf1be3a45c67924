import type { EventBody, RedGreenProof, Story, Violation } from '../../contracts/index.ts';
import { initialProgress, mergeAgentEntries } from '../progress.ts';
import { rescueName, shellWord } from '../text/index.ts';
import { type Evidence, type PutBack, type Refusal, secretsIn, type WorkLeft } from './evidence.ts';
import type { Heard } from './hear.ts';

/** Changes to story texts that no agent may make in its mode: a person may have made them meanwhile. */
const WORDS = /^transition\/(story-added|story-removed|text|other-criteria|criteria-weakened)$/;

/** The stories with text changes that are not taken over. */
export function droppedWords(violations: readonly Violation[]): readonly string[] {
  return [...new Set(violations.flatMap(({ rule, story }) => (WORDS.test(rule) && story ? [story] : [])))];
}

export function isUnreadable(violations: readonly Violation[]): boolean {
  return violations.some(({ rule }) => rule === 'transition/backlog-unreadable');
}

/** What must not stay on any branch, even with `--rollback never`: a secret, and a tree without accepted work. */
export function mustBeRemoved({ rule }: Violation): boolean {
  return rule === 'secret' || rule === 'history-lost';
}

/** Violations in words and deeds, before anything was tried: the claims, then the files. */
export function violationsOf(evidence: Evidence, heard: Heard, isRewritten: boolean): readonly Violation[] {
  return [
    ...heard.violations,
    ...evidence.lost,
    ...evidence.putBack.map(putBackViolation),
    ...(isRewritten ? [rewritten(evidence)] : []),
    ...ofGitDir(evidence),
  ];
}

/** The loop's notices about what an agent said. */
export function noticesOf(evidence: WorkLeft, heard: Heard): readonly EventBody[] {
  const warnings = heard.warnings.map((text) => ({ type: 'notice', level: 'warning', text }) as const);
  return [...warnings, ...repeatedFindings(heard), ...droppedNotices(evidence, heard)];
}

function repeatedFindings({ story, review }: Heard): readonly EventBody[] {
  const dropped = review?.memory.dropped ?? [];
  if (dropped.length === 0) return [];
  const ids = dropped.map(({ id, state }) => `${id} (${state})`).join(', ');
  const text = `The review of ${story.safeId} repeated settled findings; dropped: ${ids}.`;
  return [{ type: 'notice', level: 'info', text }];
}

function droppedNotices({ places, rescue }: WorkLeft, { violations }: Heard): readonly EventBody[] {
  const stories = droppedWords(violations);
  if (stories.length === 0) return [];
  const text = `${places.backlog ?? 'the backlog'} was changed outside the review cycle while the agent worked (${stories.join(', ')}); the change is ignored.`;
  const show = rescue === null ? '' : `ralph rescue show ${rescueName(rescue)}; `;
  const fix = `if you typed it: ${show}during a run, use \`ralph stories add\` and \`ralph steer\``;
  return [{ type: 'notice', level: 'warning', remember: true, text, fix }];
}

/** The progress log with the agent's permitted additions. Older entries stay, even if its code is rolled back. */
export function mergedProgress({ before, progress, places }: WorkLeft): {
  readonly text: string;
  readonly isRewritten: boolean;
} {
  const text = before.progress ?? initialProgress(places.name);
  if (progress.text === null) return { text, isRewritten: progress.isUnreadable };
  const merged = mergeAgentEntries({ before: text, after: progress.text });
  return { text: merged.text, isRewritten: merged.rewritten };
}

function rewritten({ places }: WorkLeft): Violation {
  return {
    rule: 'progress/rewritten',
    field: places.progress,
    message: 'Older entries of the progress log were changed; they were put back. Only append.',
  };
}

function putBackViolation(found: PutBack): Violation {
  return { rule: 'protected-file', field: found.path, message: `${found.path} ${describePutBack(found)}` };
}

function describePutBack(found: PutBack): string {
  const end = 'Leave it alone; note what should change in the progress log.';
  switch (found.kind) {
    case 'folder':
      return "is the folder of the loop's own files and was replaced; it was put back. Leave it where it is.";
    case 'file':
      return `is read-only for agents and was ${found.how}; it was put back. ${end}`;
    case 'hidden': {
      const back = found.isBack ? 'it was put back' : 'it is too large to be put back: look at it';
      const kept = found.kept === null ? '' : ` (what was there: ${found.kept})`;
      return `is read-only for agents and was ${found.how}, where git does not see it; ${back}${kept}. ${end}`;
    }
  }
}

/** Changes to what git would run on the host, and to what the loop counts by; both were put back at once. */
function ofGitDir({ agent, places }: WorkLeft): readonly Violation[] {
  const { root, commonDir, stateDir } = places;
  return (agent.gitDirChanges ?? []).map((path) => {
    const field = path === `${root}/.git` ? '.git' : path.replace(`${commonDir}/`, '.git/');
    const [rule, why] =
      path === stateDir || path.startsWith(`${stateDir}/`)
        ? ['protected-state', "is the loop's own record of what happened"]
        : ['protected-git-dir', 'decides what git runs'];
    return { rule, field, message: `${field} ${why} and was changed; it was put back. Leave the git dir alone.` };
  });
}

/** The violation for an agent that called its story finished although the proof is refused. */
export function unprovenClaim(story: Story, { outcome, detail }: RedGreenProof): Violation {
  return {
    rule: `proof/${outcome}`,
    story: story.id,
    message: `${story.safeId} does not count as finished: ${detail}.`,
  };
}

/** No secret of the run may enter a commit: the work is kept in a rescue, which never leaves this machine. */
export function ofRefusal(refusal: Refusal): readonly Violation[] {
  if (refusal.kind === 'hook') return [];
  return refusal.files.map(({ path, names }) => ({
    rule: 'secret',
    field: path,
    message: `${shellWord(path)} holds ${secretsIn(names)}. A secret must not be committed in any encoding: read it from the environment where it is needed.`,
  }));
}
