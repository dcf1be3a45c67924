import type { CommandNode, Statement, Word as WordNode } from 'unbash';
import { unwrap } from './carriers/wrappers.ts';
import { expandWord } from './expand.ts';
import type { Frame, Runner } from './frame.ts';
import { programName } from './program-name.ts';
import { UNKNOWN, wordOf } from './text.ts';

/** The program that a member of a pipeline reads with: behind wrappers, and the first of a group. Null when none is seen. */
export function consumerOf(node: CommandNode, frame: Frame, runner: Runner): string | null {
  switch (node.type) {
    case 'Command': {
      const words = [node.name, ...node.args].filter((word) => word?.type === 'Word');
      let known = words
        .slice(0, 12)
        .flatMap((word) => (isStatic(word) ? expandWord(word, frame, runner) : [wordOf(UNKNOWN)]));
      for (let inner = unwrap(known); inner !== null; inner = unwrap(known))
        known = [...inner.words].map((word) => ({ ...word, from: null }));
      return programName(known[0]?.text ?? '') || null;
    }
    case 'Redirected':
      return consumerOf(node.command, frame, runner);
    case 'BraceGroup':
    case 'Subshell':
      return consumerOfFirst(node.body.commands, frame, runner);
    case 'While':
    case 'If':
      return consumerOfFirst(node.clause.commands, frame, runner);
    default:
      return null;
  }
}

function consumerOfFirst(statements: readonly Statement[], frame: Frame, runner: Runner): string | null {
  const first = statements[0]?.command;
  if (first === undefined) return null;
  const node = first.type === 'AndOr' ? first.commands[0] : first;
  if (node === undefined) return null;
  if (node.type !== 'Pipeline') return consumerOf(node, frame, runner);
  const [member] = node.commands;
  return member === undefined ? null : consumerOf(member, frame, runner);
}

/** Looking at it runs nothing: no substitutions, no assignments. */
function isStatic(word: WordNode): boolean {
  return !/[`(]|:?=/.test(word.text);
}
