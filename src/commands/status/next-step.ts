import type { EndReason, Mode, Verdict } from '../../contracts/index.ts';
import { AWAITS_APPROVAL, type Selection } from '../../rules/backlog/index.ts';
import { moment, shellWord } from '../../rules/text/index.ts';
import { goOnCommand } from '../../rules/view/index.ts';
import type { SafeguardsView } from './safeguards.ts';

export interface NextStep {
  readonly command: string;
  readonly why: string;
}

interface Situation {
  readonly root: string;
  readonly run: RunStatus | null;
  /** Number of stories; null when the backlog cannot be read. */
  readonly stories: number | null;
  readonly lonePrompt: boolean;
  readonly upNext: Selection | null;
  /** The branch that has the finished work already. */
  readonly finished?: string | null;
  /** A merge into the branch that is checked out was killed while it wrote files. */
  readonly mergeCutOff?: boolean;
  /** null when the configuration cannot be read. */
  readonly safeguards: Pick<SafeguardsView, 'breaker' | 'questions' | 'paused' | 'waiting' | 'providerLimit'> | null;
}

export function nextStep(situation: Situation): NextStep {
  const { root, run, stories, lonePrompt, upNext, finished = null, safeguards } = situation;
  const [question] = safeguards?.questions ?? [];
  const answer = question
    ? { command: `ralph answer ${question.id} "…"`, why: `${question.story} waits for it` }
    : approval(upNext);
  if (run?.state === 'running') return answer ?? whileRunning(safeguards);
  if (run?.state === 'between') return answer ?? betweenTurns(root, safeguards);
  if (stories === null) return { command: 'ralph validate', why: 'what is wrong with the backlog, and how to fix it' };
  if (stories === 0)
    return {
      command: 'ralph plan',
      why: 'there is nothing to work on yet; `ralph stories add` and `ralph import` are other ways',
    };
  if (safeguards === null) return { command: 'ralph doctor', why: 'what is wrong with the configuration' };
  const limit = safeguards.providerLimit;
  if (run?.state === 'cut-off')
    return {
      command: 'ralph run',
      why: `recovers what was cut off, then ${limit?.waits ? untilText(limit) : 'continues'}`,
    };
  if (situation.mergeCutOff)
    return {
      command: 'ralph finish',
      why: 'a merge was cut off while it wrote files: this, or the same `ralph stream merge`, finishes it',
    };
  if (lonePrompt && run?.ended === 'complete')
    return { command: 'git log', why: 'the agent has nothing left to do: look at the commits' };
  if (upNext?.kind === 'complete' && finished !== null)
    return {
      command: `git switch ${shellWord(finished)}`,
      why: 'every story is done, and the work is there; `ralph archive` makes room for the next loop',
    };
  if (upNext?.kind === 'complete')
    return {
      command: 'ralph finish',
      why: 'every story is done: one commit for each on your branch; `--dry-run` shows them',
    };
  if (run?.ended === 'unavailable')
    return { command: 'ralph doctor', why: 'shows what the agent is missing; then `ralph run` continues' };
  if (safeguards.breaker.state === 'open')
    return { command: 'ralph circuit status', why: 'why the breaker is open; `ralph circuit reset` closes it' };
  if (answer) return answer;
  if (lonePrompt && run?.ended === 'blocked')
    return {
      command: 'ralph steer "…"',
      why: 'tells the agent what it needs (or change PROMPT.md); then `ralph run` continues',
    };
  if (upNext?.kind === 'blocked')
    return {
      command: `ralph stories show ${shellWord(upNext.stories[0]?.id ?? '')}`,
      why: 'see why it is blocked; `ralph stories reset` unblocks it',
    };
  if (limit !== null)
    return limit.waits
      ? { command: 'ralph run', why: `${untilText(limit)}, then continues` }
      : { command: 'ralph run --on-usage-limit wait', why: `${untilText(limit)}; a plain \`ralph run\` ends at once` };
  if (run === null) return { command: 'ralph run --dry-run', why: 'shows the plan and the prompt; then `ralph run`' };
  return { command: 'ralph run', why: `continues with ${lonePrompt ? 'the prompt' : 'the stories that are left'}` };
}

/** Stories that only lack a person's approval. */
function approval(upNext: Selection | null): NextStep | null {
  const stories = upNext?.kind === 'blocked' ? upNext.stories : [];
  const ids = stories.flatMap(({ id, reason }) => (reason === AWAITS_APPROVAL ? [shellWord(id)] : []));
  if (ids.length === 0) return null;
  return {
    command: `ralph stories approve ${ids.join(' ')}`,
    why: `once you have looked: \`ralph stories show ${ids[0]}\``,
  };
}

function untilText({ until }: { readonly until: number }): string {
  return `waits for the provider until ${moment(until)}`;
}

function betweenTurns(root: string, safeguards: Situation['safeguards']): NextStep {
  const waiting = safeguards?.waiting ?? null;
  if (safeguards?.paused || waiting?.why === 'pause')
    return { command: 'ralph resume', why: 'continues its turns; it is paused' };
  const until = waiting?.until ?? null;
  return {
    command: goOnCommand(root),
    why: until === null ? 'takes its next turn' : `takes its next turn, not before ${moment(until)}`,
  };
}

function whileRunning(safeguards: Situation['safeguards']): NextStep {
  if (safeguards?.waiting?.why === 'pause') return { command: 'ralph resume', why: 'continues where it was paused' };
  if (safeguards?.paused) return { command: 'ralph resume', why: 'cancels the pause' };
  return safeguards?.waiting
    ? { command: 'ralph stop', why: 'ends it now; otherwise it continues by itself' }
    : { command: 'ralph log', why: 'what it did so far' };
}

/** The last run, or the active one. */
export interface RunStatus {
  readonly run: string;
  /**
   * `between`: its last turn is over, and no process works on it until the next one. `cut-off`: it neither ended nor
   * lives; the next `ralph run` recovers it.
   */
  readonly state: 'running' | 'between' | 'ended' | 'cut-off';
  readonly iteration: number;
  /** Iterations that count against `maxIterations`; limited or interrupted ones are free. */
  readonly used: number;
  readonly maxIterations: number;
  readonly mode: Mode | null;
  readonly story: { readonly id: string; readonly title: string } | null;
  readonly lastVerdict: Verdict | null;
  /** The same in words. */
  readonly lastResult: string | null;
  readonly costUsd: number | null;
  readonly ended: EndReason | null;
  /** Why the agent of a lone prompt cannot continue; null when it can, and with a backlog: its stories say so. */
  readonly blocked: string | null;
}

export type EarlierRun = Pick<RunStatus, 'run' | 'iteration' | 'lastVerdict' | 'lastResult' | 'costUsd'>;
