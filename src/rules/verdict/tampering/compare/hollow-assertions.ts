import type { TamperFinding } from '../api.ts';
import type { Assertion } from '../outline/outline.ts';
import { bagOf, containment, likeness, tellingTokens } from '../source/tokens.ts';
import type { AssertionChange } from './assertion-changes.ts';
import type { FilePair } from './pair.ts';
import { readable } from './readable.ts';

/** Assertions that hold whatever the code does, where there were none such before. */
export function hollowAssertions(changes: readonly AssertionChange[], files: readonly FilePair[]): TamperFinding[] {
  const language = (path: string) => files.find((file) => file.path === path)?.after?.language;
  return changes.flatMap(({ path, removed, added }) => {
    const { tautology, vague } = language(path) ?? {};
    return added.flatMap((assertion): TamperFinding[] => {
      const shown = `\`${readable(assertion.normal)}\``;
      const finding = (detail: string, severity: TamperFinding['severity']): TamperFinding[] => [
        { kind: 'assertion-weakened', path, line: assertion.line, detail, severity },
      ];
      if (tautology?.test(assertion.normal))
        return finding(`${shown} holds whatever the code does.`, removed.length > 0 ? 'high' : 'low');
      if (vague?.test(assertion.normal) !== true) return [];
      const stronger = removed.find((old) => !vague.test(old.normal) && sameSubject(old, assertion));
      if (stronger === undefined) return [];
      return finding(`${shown} says less than \`${readable(stronger.normal)}\` did.`, 'high');
    });
  });
}

/** The subject is the larger part of a vague assertion: what it shares with the old one, without the old one's value. */
function sameSubject(old: Assertion, now: Assertion): boolean {
  const subject = tellingTokens(now.tokens).slice(1, -1);
  if (subject.length === 0) return likeness(bagOf(old.tokens), bagOf(now.tokens)) > 0.5;
  return containment(subject, bagOf(old.tokens)) === 1;
}
