import type { SimpleCommand, Word } from '../../api.ts';
import type { Carrier, Nested } from '../nested.ts';
import { UNKNOWN, wordOf } from '../text.ts';

/** Tests of `find` that narrow down what it finds, unlike `-type` and `-maxdepth`. */
const NARROWING =
  /^-(i?(name|path|wholename|regex|lname)|[acm](time|min)|newer\w*|size|empty|user|group|perm|links|inum|samefile|used|uid|gid|nouser|nogroup|executable)$/;

const NAMES = /^-i?(name|path|wholename)$/;

/** What a `find` finds, as words for the program that gets them: a folder itself, or something in it. */
export function foundBy(command: SimpleCommand): readonly Word[] {
  const { starts, expression } = partsOf(command);
  const at = expression.findIndex((word) => NAMES.test(word.text));
  const narrowed = expression.some((word) => NARROWING.test(word.text));
  const negated = expression[at - 1]?.text === '!' || expression[at - 1]?.text === '-not';
  const pattern = at >= 0 && !negated ? (expression[at + 1]?.text ?? UNKNOWN) : UNKNOWN;
  return starts.map((start) => {
    if (!narrowed || pattern === '*') return start;
    const name = pattern.replace(/^(\.\/|\*\/)+/, '');
    // Unlike the shell's, these patterns match names with a leading dot.
    const hidden = /^[*?[]/.test(name) ? UNKNOWN : '';
    return wordOf(`${start.text.replace(/\/+$/, '')}/${hidden}${name}`, true);
  });
}

/** The folders that a `find` looks through. */
export function searchedBy(command: SimpleCommand): readonly Word[] {
  return partsOf(command).starts;
}

function partsOf(command: SimpleCommand): { readonly starts: readonly Word[]; readonly expression: readonly Word[] } {
  const { args } = command;
  const first = args.findIndex((word) => !/^-([HLP]|O\d?|D)$/.test(word.text));
  const from = first < 0 ? args.length : first;
  const end = args.findIndex((word, at) => at >= from && /^(-.|[()!,]$)/.test(word.text));
  const starts = args.slice(from, end < 0 ? args.length : end);
  return { starts: starts.length === 0 ? [wordOf('.')] : starts, expression: end < 0 ? [] : args.slice(end) };
}

/** `find … -exec CMD {} \;`, `-delete` (as `rm -rf` of what is found), `-fprint FILE` (as a redirection). */
export const runFind: Carrier = (command) => {
  const { expression } = partsOf(command);
  const found = foundBy(command);
  return expression.flatMap((word, at): readonly Nested[] => {
    const action = word.text;
    if (action === '-delete')
      return [{ kind: 'argv', via: 'find -delete', words: [wordOf('rm'), wordOf('-rf'), ...found] }];
    if (/^-f(print[0f]?|ls)$/.test(action)) {
      const target = expression[at + 1];
      if (target === undefined) return [];
      return [
        { kind: 'argv', via: `find ${action}`, words: [wordOf('printf')], redirects: [{ operator: '>', target }] },
      ];
    }
    if (!/^-(exec|ok)(dir)?$/.test(action)) return [];
    const rest = expression.slice(at + 1);
    const end = rest.findIndex((part, nth) => part.text === ';' || (part.text === '+' && rest[nth - 1]?.text === '{}'));
    return [{ kind: 'argv', via: `find ${action}`, words: withFound(end < 0 ? rest : rest.slice(0, end), found) }];
  });
};

/** Puts what is found where `{}` stands. */
export function withFound(words: readonly Word[], found: readonly Word[], mark = '{}'): readonly Word[] {
  return words.flatMap((word) => {
    if (word.text === mark) return found;
    if (!word.text.includes(mark)) return [word];
    const glob = found.some((item) => item.glob);
    return found.slice(0, 1).map((item) => wordOf(word.text.replaceAll(mark, item.text), glob));
  });
}

/** `fd PATTERN [FOLDER…] -x CMD`. */
export const runFd: Carrier = (command) => {
  const at = command.args.findIndex((word) => /^(-[xX]|--exec(-batch)?)$/.test(word.text));
  if (at < 0) return [];
  const places = command.args
    .slice(0, at)
    .filter((word) => !word.text.startsWith('-'))
    .slice(1);
  const found = (places.length === 0 ? [wordOf('.')] : places).map((place) => wordOf(`${place.text}/${UNKNOWN}`));
  const rest = command.args.slice(at + 1).filter((word) => word.text !== ';');
  const words = rest.some((word) => word.text.includes('{')) ? withFound(rest, found) : [...rest, ...found];
  return [{ kind: 'argv', via: 'fd -x', words }];
};
