import type { GuardContext, GuardJudgement, GuardRule, SimpleCommand } from './api.ts';
import { categories } from './dangers/index.ts';
import { couldMatchText } from './glob.ts';
import { type Resolution, resolveCommand } from './shell/resolve.ts';
import { isKnown } from './words.ts';

/** One command as shown by `ralph guard explain`. */
export interface ExplainedCommand {
  readonly source: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly via: readonly string[];
  readonly cwd: string | null;
  /** False when a part of the command word or of an argument is unresolved. */
  readonly known: boolean;
}

export interface Explanation {
  readonly commands: readonly ExplainedCommand[];
  readonly judgement: GuardJudgement;
}

/**
 * May this text run as a shell command? Never throws. The user's deny entries come first, then their allow entries,
 * then the rules; the first of these that applies to a simple command decides on it.
 */
export function judgeCommand(command: string, context: GuardContext): GuardJudgement {
  return judgeResolution(resolveCommand(command, context), command, context);
}

export function explainCommand(command: string, context: GuardContext): Explanation {
  const resolution = resolveCommand(command, context);
  return {
    commands: resolution.commands.map((simple) => ({
      source: simple.source,
      name: simple.name,
      args: simple.args.map((word) => word.text),
      via: simple.via,
      cwd: simple.cwd,
      known: [simple.word, ...simple.args].every(isKnown),
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
  return { decision: 'allow', rule: null, reason: '', alternative: '', evidence: '', unresolved: unresolved() };
}

/** Why a text could not be judged command by command, and the rule that then blocks it if it looks destructive. */
const GIVEN_UP: Readonly<
  Record<NonNullable<Resolution['gaveUp']>, Pick<GuardJudgement, 'rule' | 'reason' | 'alternative'>>
> = {
  unparsable: {
    rule: 'shell/unparsable',
    reason: 'This is not valid shell, and it names programs that destroy things.',
    alternative: 'Fix the syntax, or run the commands one at a time.',
  },
  fault: {
    rule: 'shell/fault',
    reason: 'This could not be checked, and it names programs that destroy things.',
    alternative: 'Write it in a simpler way, or run the commands one at a time.',
  },
  'too-long': {
    rule: 'shell/too-long',
    reason: 'This is too long or too deeply nested to be checked, and it names programs that destroy things.',
    alternative: 'Write files with the Write tool and run shorter commands.',
  },
};

const RULES = categories.flatMap(({ rules }) => Object.entries(rules));

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
  const broken = RULES.find(([id, rule]) => {
    try {
      return rule.matches(command, context, script) && holds(id, rule, context);
    } catch (error) {
      // A fault in one rule must not disable the others.
      faults.add(`${id}: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  });
  if (broken === undefined) return null;
  const [rule, { reason, alternative }] = broken;
  return { decision: 'block', rule, reason, alternative, evidence: evidenceOf(command) };
}

/** A rule applies in its profiles unless the user switched it off; one also denied by id applies in all. */
function holds(id: string, { profiles }: GuardRule, { user, profile }: GuardContext): boolean {
  if (user.deny.some((entry) => namesRule(entry, id))) return true;
  if (user.allow.some((entry) => namesRule(entry, id))) return false;
  return profiles === undefined || profiles.includes(profile);
}

function blockedByUser(pattern: string, command: SimpleCommand): Blocked {
  return {
    decision: 'block',
    rule: 'user/deny',
    reason: `The configuration of this project forbids it: guard.deny has "${pattern}".`,
    alternative: 'Do without it, or ask the user who runs the loop.',
    evidence: evidenceOf(command),
  };
}

const LONGEST_EVIDENCE = 200;

function evidenceOf(command: SimpleCommand): string {
  return shortened(command.source === '' ? normalText(command) : command.source);
}

function shortened(text: string): string {
  return text.length > LONGEST_EVIDENCE ? `${text.slice(0, LONGEST_EVIDENCE - 1)}…` : text;
}

/**
 * Whether one of the user's entries (`guard.allow`, `guard.deny`) applies to a command. An entry is a rule's id
 * (`git/push`, see `namesRule`) or a glob over the command's words joined by single blanks, without quotes and without
 * the program's folder: `npm publish*` matches `npm publish`, `/usr/bin/npm publish --tag next`.
 */
function matchesPattern(pattern: string, command: SimpleCommand): boolean {
  return couldMatchText(pattern.trim(), normalText(command));
}

/** Whether an entry names this rule or its whole category: `git/push`, `git/*`. */
function namesRule(entry: string, ruleId: string): boolean {
  const name = entry.trim();
  return name === ruleId || (name.endsWith('/*') && !name.includes(' ') && ruleId.startsWith(name.slice(0, -1)));
}

/** The text that patterns are matched against. */
function normalText(command: SimpleCommand): string {
  const program = command.name === '' ? command.word.text : command.name;
  return [program, ...command.args.map((word) => word.text)].join(' ').trim();
}

/** Shapes of destructive commands, searched in text that could not be parsed. Each takes linear time. */
const SHAPES: readonly RegExp[] = [
  /\brm\s+(-\S+\s+)*-[a-zA-Z]*[rRf]/,
  /\b(mkfs|wipefs|shred|fdisk|sfdisk|sgdisk|parted|blkdiscard|mkswap)\b/,
  /\bdd\s[^\n]{0,200}\bof=/,
  /\bgit\s[^\n]{0,80}\b(push|reset\s+--hard|clean\s+-|filter-branch|update-ref)/,
  /\b(shutdown|reboot|halt|poweroff)\b/,
  /\bchmod\s+-R\b|\bchown\s+-R\b/,
  /\bfind\s[^\n]{0,200}-(delete|exec)\b/,
  /\b(sudo|doas|pkexec)\s/,
  /\b(curl|wget)\b[^\n]{0,300}\|\s*\S*\b(ba|z|da|k)?sh\b/,
  /\bbase64\s+(-d|-D|--decode)\b/,
  /\/dev\/(tcp|udp|sd[a-z]|nvme|disk)/,
  /\b(DROP|TRUNCATE)\s+(DATABASE|TABLE|SCHEMA)\b/i,
  /\b(kill|pkill|killall)\s/,
  /\beval\b|\biex\b|\bInvoke-Expression\b/i,
  /:\s*\(\s*\)\s*\{/,
];

function looksDestructive(text: string): boolean {
  const plain = text.replace(/[\\'"]/g, '');
  return SHAPES.some((shape) => shape.test(plain));
}
