import type { GuardContext, GuardJudgement, GuardRule, SimpleCommand } from './api.ts';
import { matchesPattern, namesRule, normalText } from './patterns.ts';
import { rulesFor } from './rules/applicable.ts';
import { looksDestructive } from './shell/destructive-scan.ts';
import { type Resolution, resolveCommand } from './shell/resolve.ts';

/** One command as `ralph guard explain` shows it. */
export interface ExplainedCommand {
  readonly source: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly via: readonly string[];
  readonly cwd: string | null;
  /** False when a part of the command word or of an argument could not be resolved. */
  readonly known: boolean;
}

export interface Explanation {
  readonly commands: readonly ExplainedCommand[];
  readonly judgement: GuardJudgement;
}

/**
 * May this text run as a shell command? Never throws. The user's deny entries come first, then their allow entries,
 * then the rules, and the first of these that speaks of a simple command decides on it.
 */
export function judgeCommand(command: string, context: GuardContext): GuardJudgement {
  return judgeResolution(resolveCommand(command, context), command, context);
}

/** What the guard understood of a text, and its judgement. */
export function explainCommand(command: string, context: GuardContext): Explanation {
  const resolution = resolveCommand(command, context);
  return {
    commands: resolution.commands.map((simple) => ({
      source: simple.source,
      name: simple.name,
      args: simple.args.map((word) => word.text),
      via: simple.via,
      cwd: simple.cwd,
      known: simple.word.known && simple.args.every((word) => word.known),
    })),
    judgement: judgeResolution(resolution, command, context),
  };
}

function judgeResolution(resolution: Resolution, text: string, context: GuardContext): GuardJudgement {
  const faults = new Set<string>();
  const unresolved = (): readonly string[] => [...resolution.unresolved, ...faults];
  for (const command of resolution.commands) {
    const blocked = judgeSimple(command, resolution.commands, context, faults);
    if (blocked !== null) return { ...blocked, unresolved: unresolved() };
  }
  const { gaveUp } = resolution;
  if (gaveUp !== null && looksDestructive(text)) {
    return { ...GIVEN_UP[gaveUp], decision: 'block', evidence: shortened(text), unresolved: unresolved() };
  }
  return allowed(unresolved());
}

/** Why a text could not be judged command by command, and what then blocks it when it looks destructive. */
const GIVEN_UP: Readonly<
  Record<NonNullable<Resolution['gaveUp']>, Pick<GuardJudgement, 'rule' | 'reason' | 'alternative'>>
> = {
  unparsable: {
    rule: 'shell/unparsable',
    reason: 'This is not valid shell, and it names programs that destroy things.',
    alternative: 'Mend the syntax, or run the commands one at a time.',
  },
  fault: {
    rule: 'shell/fault',
    reason: 'This could not be checked, and it names programs that destroy things.',
    alternative: 'Say it in a simpler way, or run the commands one at a time.',
  },
  'too-long': {
    rule: 'shell/too-long',
    reason: 'This is too long or too deeply nested to be checked, and it names programs that destroy things.',
    alternative: 'Write files with the Write tool and run shorter commands.',
  },
};

type Blocked = Omit<GuardJudgement, 'unresolved'>;

function judgeSimple(
  command: SimpleCommand,
  script: readonly SimpleCommand[],
  context: GuardContext,
  faults: Set<string>,
): Blocked | null {
  const { allow, deny } = context.user;
  const denied = deny.find((entry) => matchesPattern(entry, command));
  if (denied !== undefined) return blockedByUser(denied, command);
  if (allow.some((entry) => matchesPattern(entry, command))) return null;
  const broken = rulesFor(command.name).find((rule) => {
    try {
      return holds(rule, context) && rule.matches(command, context, script);
    } catch (error) {
      // One rule at fault must not take the others with it.
      faults.add(`${rule.id}: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  });
  return broken === undefined ? null : blockedByRule(broken, command);
}

/** A rule holds in its profiles, unless the user switched it off; one that is also denied by id holds everywhere. */
function holds(rule: GuardRule, context: GuardContext): boolean {
  if (context.user.deny.some((entry) => namesRule(entry, rule.id))) return true;
  if (context.user.allow.some((entry) => namesRule(entry, rule.id))) return false;
  return rule.profiles === undefined || rule.profiles.includes(context.profile);
}

function blockedByRule(rule: GuardRule, command: SimpleCommand): Blocked {
  const { id, reason, alternative } = rule;
  return { decision: 'block', rule: id, reason, alternative, evidence: evidenceOf(command) };
}

function blockedByUser(pattern: string, command: SimpleCommand): Blocked {
  return {
    decision: 'block',
    rule: 'user/deny',
    reason: `The configuration of this project forbids it: guard.deny has "${pattern}".`,
    alternative: 'Do without it, or ask the person who runs the loop.',
    evidence: evidenceOf(command),
  };
}

function allowed(unresolved: readonly string[]): GuardJudgement {
  return { decision: 'allow', rule: null, reason: '', alternative: '', evidence: '', unresolved };
}

const LONGEST_EVIDENCE = 200;

function evidenceOf(command: SimpleCommand): string {
  return shortened(command.source === '' ? normalText(command) : command.source);
}

function shortened(text: string): string {
  return text.length > LONGEST_EVIDENCE ? `${text.slice(0, LONGEST_EVIDENCE - 1)}…` : text;
}
