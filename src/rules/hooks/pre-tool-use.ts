import { judgeCommand } from '../guard/judge-command.ts';
import { shortLine } from '../printable.ts';
import type { HookContext, HookEffect, HookEvent } from './api.ts';
import { guardContext } from './guard-context.ts';
import { type Denial, judgePath } from './path-rules.ts';
import { eventEffect, NOTHING, type Step, type StepResult } from './step.ts';
import { targetOf } from './target.ts';
import { toolUse } from './tools.ts';

/** Refuses what may not be done to a file (in a run) and what the guard does not let through (always). */
export const preToolUse: Step = (event, context) => {
  const use = toolUse(event);
  if (use.kind === 'shell') return judgeShell(use.command, event, context);
  if (use.kind === 'other' || use.path === '' || context.run === null) return NOTHING;
  const denial = judgePath(use.kind, {
    target: targetOf(use.path, event, context),
    event,
    context,
    run: context.run,
  });
  return denial === null ? NOTHING : deny(event, denial);
};

function judgeShell(command: string, event: HookEvent, context: HookContext): StepResult {
  const judgement = judgeCommand(command, guardContext(event, context));
  if (judgement.decision === 'allow') return { effects: unresolvedNotice(judgement.unresolved) };
  const { rule, reason, alternative, evidence } = judgement;
  const subject = evidence || command;
  return deny(event, { rule: rule ?? 'guard', reason, alternative, subject }, `\`${shortLine(subject)}\`: `);
}

/** @param about put in front where the reason does not name what it is about, as one command of a long line */
function deny(event: HookEvent, { rule, reason, alternative, subject }: Denial, about = ''): StepResult {
  return {
    answer: { kind: 'deny', reason: `${about}${reason} ${alternative} (ralph: ${rule})` },
    effects: [eventEffect({ type: 'denied', tool: event.tool, rule, reason, subject: shortLine(subject) })],
  };
}

/** What the guard could not see through and let pass is on record. */
function unresolvedNotice(unresolved: readonly string[]): readonly HookEffect[] {
  if (unresolved.length === 0) return [];
  return [eventEffect({ type: 'unresolved', parts: unresolved.map((part) => shortLine(part)) })];
}
