import type { CommitKind, Config, IterationHeader, Story } from '../../contracts/index.ts';
import { type AppliedClaim, BLOCKED_AT_CAP, BLOCKED_CONVERGED } from '../backlog/index.ts';
import { oneLine } from '../text/index.ts';
import type { Decision } from './verdict.ts';

/** `{id}`, `{title}` and `{outcome}` are replaced; `commit.templates` in the configuration overrides each. */
const TEMPLATES: Readonly<Record<CommitKind, string>> = {
  implement: 'feat({id}): {title}',
  wip: 'wip({id}): {title}',
  'review-fix': 'fix({id}): address review feedback',
  review: 'review({id}): {outcome}',
  bookkeeping: 'chore(ralph): {title}',
};

interface CommitMessage {
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly (readonly [string, string])[];
}

/** Message of the one commit of an iteration: what it did, the subjects of the agent's own commits, and its author. */
export function commitMessage(
  config: Config,
  header: IterationHeader,
  story: Story,
  applied: AppliedClaim | null,
  decision: Decision,
  agentMessages: readonly string[],
  lonePrompt = false,
): CommitMessage {
  // Asking a question or reporting a blocker does not make the work so far a feature.
  const isSetAside = header.mode !== 'review' && applied?.outcome === 'blocked';
  const kind: CommitKind = decision.verdict === 'accepted' && !isSetAside ? header.mode : 'wip';
  const outcome = applied ? outcomeText(applied) : 'one of a panel';
  // A lone prompt is never claimed to be done: each step of it is work that stays.
  const ownWords = lonePrompt && kind === 'wip' ? harmless(agentMessages.at(-1) ?? `feat: ${story.title}`) : null;
  const template = config.commit.templates[kind];
  const words = { id: story.safeId, title: story.title, outcome };
  const subject = ownWords !== null && template === undefined ? ownWords : subjectOf(config, kind, words);
  const body = agentMessages.map((message) => `- ${harmless(message)}`).join('\n');
  const trailers = [
    ['Ralph-Run', header.run],
    ['Ralph-Iteration', String(header.iteration)],
    ['Ralph-Story', story.safeId],
  ] as const;
  return { subject, body, trailers };
}

/** One line that nothing obeys: no terminal, and no CI that skips a commit whose message says `[skip ci]`. */
function harmless(text: string): string {
  return oneLine(text).replace(/\[([\w -]*\bskip\b[\w -]*|no ci)\]/gi, '($1)');
}

const REVIEW_OUTCOMES: Readonly<Record<AppliedClaim['outcome'], string>> = {
  ready: 'ready for review',
  approved: 'approved',
  'changes-requested': 'changes requested',
  'auto-approved': 'approved at the review cap',
  converged: 'approved, the reviews converged',
  blocked: 'blocked',
  done: 'done',
};

function outcomeText({ outcome, fields }: AppliedClaim): string {
  if (fields.blocked?.startsWith(BLOCKED_AT_CAP)) return 'blocked at the review cap';
  if (fields.blocked?.startsWith(BLOCKED_CONVERGED)) return 'blocked, the reviews converged';
  return REVIEW_OUTCOMES[outcome];
}

/** Message of a commit with only the loop's own files. */
export function bookkeepingMessage(config: Config, run: string, title: string): CommitMessage {
  const subject = subjectOf(config, 'bookkeeping', { title });
  return { subject, body: '', trailers: [['Ralph-Run', run]] };
}

/** The first line of a commit's message. */
export function subjectOf(config: Config, kind: CommitKind, words: Readonly<Record<string, string>>): string {
  return fill(config.commit.templates[kind] ?? TEMPLATES[kind], words);
}

/** Literal replacement in one pass; one line, at most 100 characters, as is usual for a subject in git. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  const line = template.replace(/\{(id|title|outcome)\}/g, (_, name: string) => values[name] ?? '');
  const subject = oneLine(line);
  return subject.length > 100 ? `${subject.slice(0, 99)}…` : subject;
}
