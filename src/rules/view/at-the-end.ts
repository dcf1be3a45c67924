import type { Mode, RememberedNotice, Story, TamperFinding, UserNeed } from '../../contracts/index.ts';
import { AWAITS_APPROVAL, isDone } from '../backlog/index.ts';
import { counted, shellWord } from '../text/index.ts';

/** An iteration's rescue, and the result of the iteration. */
interface RescueMade {
  readonly name: string;
  readonly story: string;
  readonly mode: Mode;
  readonly reason: string;
  /** The iteration made a commit all the same: the rescued changes were not work on the story. */
  readonly hasCommit: boolean;
}

interface AtTheEnd {
  readonly stories: readonly Story[];
  /** Weakened tests that no review accepted. */
  readonly open: readonly TamperFinding[];
  readonly accepted: readonly (TamperFinding & { readonly reason: string; readonly story: string })[];
  readonly remembered: readonly RememberedNotice[];
  /** Checks that failed before the run and in all of it. */
  readonly neverPassed: readonly string[];
  readonly rescues: readonly RescueMade[];
}

/** What the user has to do or know when a run has ended, most urgent first. Pure. */
export function needsAtTheEnd({
  stories,
  open,
  accepted,
  remembered,
  neverPassed,
  rescues,
}: AtTheEnd): readonly UserNeed[] {
  const waiting = stories.flatMap((story) => (story.blocked ? [ofStory(story.id, story.blocked)] : []));
  return [
    ...waiting.filter(isQuestion),
    ...waiting.filter((need) => !isQuestion(need)),
    ...open.map((found): UserNeed => weakened('a weakened test that no review has accepted', found, '')),
    ...accepted.map((found) =>
      weakened(`the review of ${found.story} accepted a weakened test`, found, ` (${found.reason})`),
    ),
    ...withoutProof(neverPassed),
    ...remembered.map(
      ({ text, fix, times }): UserNeed => ({
        kind: 'notice',
        what: times > 1 ? `${text} (${times} times)` : text,
        command: fix ?? null,
      }),
    ),
    ...ofRescues(rescues, new Set(stories.filter((story) => isDone(story) || story.blocked).map(({ id }) => id))),
  ];
}

function withoutProof(commands: readonly string[]): readonly UserNeed[] {
  if (commands.length === 0) return [];
  const what = `${counted(commands.length, 'check')} failed before the run and never passed: ${commands.join(' · ')}`;
  return [{ kind: 'notice', what, command: 'ralph doctor --checks' }];
}

function isQuestion({ what }: UserNeed): boolean {
  return what.includes(' asks: ');
}

function ofStory(id: string, blocked: string): UserNeed {
  if (blocked === AWAITS_APPROVAL)
    return { kind: 'story', what: `${id} waits for your approval`, command: `ralph stories approve ${shellWord(id)}` };
  const [, question, text] = /^question (Q\d+): (.*)$/s.exec(blocked) ?? [];
  return question === undefined || text === undefined
    ? { kind: 'story', what: `${id} is blocked: ${blocked}`, command: `ralph stories show ${shellWord(id)}` }
    : { kind: 'story', what: `${id} asks: ${text}`, command: `ralph answer ${question} "…"` };
}

function weakened(what: string, { path, line, detail }: TamperFinding, after: string): UserNeed {
  return { kind: 'weakened', what: `${what}: ${path}:${line}: ${detail}${after}`, command: null };
}

/**
 * The last rolled-back work of each open story; a blocked one shows its own. Other rescues are routine: a reviewer's incidental
 * changes, earlier attempts at a story that is now done, and unrelated changes of an accepted iteration.
 */
function ofRescues(rescues: readonly RescueMade[], settled: ReadonlySet<string>): readonly UserNeed[] {
  const matter = rescues.filter(({ mode, story, hasCommit }) => mode !== 'review' && !hasCommit && !settled.has(story));
  const last = new Map(matter.map((rescue) => [rescue.story, rescue]));
  return [...last.values()].map(({ name, story, reason }) => ({
    kind: 'rescue',
    what: `${story} is not done, and its last work was rolled back: ${reason}`,
    command: `ralph rescue show ${shellWord(name)}`,
  }));
}
