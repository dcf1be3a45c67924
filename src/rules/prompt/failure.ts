import type { CheckResult, Violation } from '../../contracts/model.ts';
import type { FailureContext } from '../../contracts/state/ledger.ts';
import { howItFailed } from '../check-words.ts';

/** Characters of a check's output shown in a prompt; the end of an output says most. */
const TAIL = 4000;

/** What went wrong in the last iteration of a story, as the next prompt tells it; empty when nothing did. */
export function failureText(failure: FailureContext | null, violations: readonly Violation[]): string {
  if (failure === null && violations.length === 0) return '';
  const parts = ['### What happened last time'];
  if (failure !== null) parts.push(`The last iteration of this story ended like this: ${failure.reason}.`);
  for (const check of failure?.checks ?? []) if (!check.ok) parts.push(failingCheck(check));
  if (failure !== null && failure.rescue !== null) parts.push(rescued(failure.rescue, failure.diffStat));
  const isUnproven = ({ rule }: Violation) => rule.startsWith('proof/');
  const undone = violations.filter((violation) => !isUnproven(violation)).map(({ message }) => `- ${message}`);
  if (undone.length > 0) parts.push(['Rules were broken; these changes were undone:', ...undone].join('\n'));
  const unproven = violations.filter(isUnproven).map(({ message }) => `- ${message}`);
  if (unproven.length > 0)
    parts.push(['The work is kept. Before the story counts as finished, prove it:', ...unproven].join('\n'));
  return parts.join('\n\n');
}

/** A red check with the end of its output, fenced. */
export function failingCheck(check: CheckResult): string {
  const { command, tail } = check;
  const how = howItFailed(check);
  const output = tail.length > TAIL ? `…${tail.slice(-TAIL)}` : tail;
  if (output.trim() === '') return `\`${command}\` ${how} without output.`;
  const fence = fenceFor(output);
  return `\`${command}\` ${how}:\n\n${fence}\n${output.trimEnd()}\n${fence}`;
}

/** A fence longer than any run of backticks inside, so that output cannot end its own quotation. */
function fenceFor(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  return '`'.repeat(longest + 1);
}

function rescued(ref: string, diffStat: string | null): string {
  const stat =
    diffStat === null || diffStat.trim() === ''
      ? ''
      : `\n\n${fenceFor(diffStat)}\n${diffStat.trimEnd()}\n${fenceFor(diffStat)}`;
  return `Its work was taken back, and kept: look with \`git show ${ref}\`, take single files over with \`git show ${ref}:PATH > PATH\`. Do not repeat its mistake.${stat}`;
}
