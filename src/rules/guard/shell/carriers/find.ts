import type { Input, SimpleCommand, Word } from '../../api.ts';
import { hasFlag, hasWord, operands, optionValue, wordsBehind } from '../../options.ts';
import { namesIn } from '../../tables.ts';
import { isKnown, joined, UNKNOWN, wordOf } from '../../words.ts';
import { type Carrier, type Nested, nestedArgv, nestedShell, nestedWrite, type Surroundings } from '../frame.ts';

/** Tests of `find` that narrow its result, unlike `-type` and `-maxdepth`. */
const NARROWING =
  /^-(i?(name|path|wholename|regex|lname)|[acm](time|min)|newer\w*|size|empty|user|group|perm|links|inum|samefile|used|uid|gid|nouser|nogroup|executable)$/;

const NAMES = /^-i?(name|path|wholename)$/;

/** What a `find` finds, as words for the program that gets them: a folder itself, or something in it. */
function foundBy(command: SimpleCommand): readonly Word[] {
  const { starts, expression } = partsOf(command);
  const narrowed = expression.some((word) => NARROWING.test(word.text));
  const named = expression.flatMap((word, at) =>
    NAMES.test(word.text) && !/^(!|-not)$/.test(expression[at - 1]?.text ?? '')
      ? [expression[at + 1]?.text ?? UNKNOWN]
      : [],
  );
  const either = expression.some(({ text }) => /^-or?$/.test(text));
  const patterns = named.length === 0 ? [UNKNOWN] : either ? named : named.slice(0, 1);
  return starts.flatMap((start) =>
    patterns.map((pattern) => {
      if (!narrowed || pattern === '*') return start;
      const name = pattern.replace(/^(\.\/|\*\/)+/, '');
      // Unlike shell patterns, these match names with a leading dot.
      const hidden = /^[*?[]/.test(name) ? UNKNOWN : '';
      return wordOf(`${start.text.replace(/\/+$/, '')}/${hidden}${name}`, true);
    }),
  );
}

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

/** `find … -exec CMD {} \;`, `-delete` (as `rm -rf` of the found files, of empty ones as `rmdir`), `-fprint FILE` (as a redirection). */
export const runFind: Carrier = (command) => {
  const { expression } = partsOf(command);
  const found = foundBy(command);
  return expression.flatMap((word, at): readonly Nested[] => {
    const action = word.text;
    const remover = expression.some(({ text }) => text === '-empty') ? 'rmdir' : 'rm -rf';
    if (action === '-delete')
      return [nestedArgv('find -delete', [...namesIn(remover).map((text) => wordOf(text)), ...found])];
    if (/^-f(print[0f]?|ls)$/.test(action)) {
      const target = expression[at + 1];
      return target === undefined ? [] : [nestedWrite(`find ${action}`, target)];
    }
    if (!/^-(exec|ok)(dir)?$/.test(action)) return [];
    const rest = expression.slice(at + 1);
    const end = rest.findIndex((part, nth) => part.text === ';' || (part.text === '+' && rest[nth - 1]?.text === '{}'));
    return [nestedArgv(`find ${action}`, withFound(end < 0 ? rest : rest.slice(0, end), found))];
  });
};

function withFound(words: readonly Word[], found: readonly Word[], mark = '{}'): readonly Word[] {
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
    .filter((word, nth, all) => !word.text.startsWith('-') && !/^(-e|--extension)$/.test(all[nth - 1]?.text ?? ''))
    .slice(1);
  const pattern = /\\\.(\w+)\$$/.exec(operands(command)[0]?.text ?? '')?.[1];
  const ending = optionValue(command, 'e', 'extension')?.text ?? pattern;
  const [plain = ''] = /^[\w.-]{3,}$/.exec(operands(command)[0]?.text ?? '') ?? [];
  const name = ending === undefined ? `${UNKNOWN}${plain}${plain && UNKNOWN}` : `${UNKNOWN}*.${ending}`;
  const found = (places.length === 0 ? [wordOf('.')] : places).map((place) => wordOf(`${place.text}/${name}`, true));
  const rest = command.args.slice(at + 1).filter((word) => word.text !== ';');
  const words = rest.some((word) => word.text.includes('{')) ? withFound(rest, found) : [...rest, ...found];
  return [nestedArgv('fd -x', words)];
};

/** The most lines of known input that are followed, each as its own command. */
const MOST_LINES = 64;

/** `xargs CMD`: with the words of its input where the text shows them, else with unknown ones. */
export const runXargs: Carrier = (command, around) => {
  const given = wordsBehind(command);
  const words = given.length === 0 ? [wordOf('echo')] : given;
  const mark =
    optionValue(command, 'I', 'replace')?.text ?? (command.args.some((word) => word.text === '-i') ? '{}' : null);
  const separator = optionValue(command, 'd', 'delimiter')?.text ?? (hasFlag(command, '0', 'null') ? '\\0' : null);
  const file = optionValue(command, 'a', 'arg-file');
  const listed = file === null ? around.stdin : around.fileText(file);
  const from: Input = file === null || !listed?.from ? command.input : { kind: 'pipe', from: listed.from };
  const items = itemsOf(from, { ...around, stdin: listed }, mark === null ? separator : '\n');
  if (mark === null) return [nestedArgv('xargs', [...words, ...items])];
  return items.slice(0, MOST_LINES).map((item) => nestedArgv('xargs', withFound(words, [item], mark)));
};

/** The words that a command gets from its input. What `find` and `ls` print is in the folder that they list. */
function itemsOf(input: Input, around: Surroundings, separator: string | null): readonly Word[] {
  const { stdin } = around;
  if (stdin !== null && isKnown(stdin)) {
    const split = separator === null ? /[\s\0]+/ : separator === '\\0' ? '\0' : separator;
    const words = stdin.text.split(split).filter((text) => text.trim() !== '');
    return words.map((text) => wordOf(text.trim().replace(/^(['"])(.*)\1$/, '$2')));
  }
  if (input.kind !== 'pipe') return [wordOf(UNKNOWN)];
  return printedFiles(input.from);
}

/** Programs that print some of the lines they read. */
const FILTERS = /^(grep|egrep|fgrep|rg|head|tail|sort|uniq|tac|sed|awk|cut|tr|tee|cat|shuf|xargs)$/;

function printedFiles(from: SimpleCommand): readonly Word[] {
  if (from.name === 'find') return foundBy(from);
  if (FILTERS.test(from.name) && from.input.kind === 'pipe') return printedFiles(from.input.from).map(inside);
  if (from.name === 'git' && hasWord(from, /^(ls-files|diff|grep|status)$/)) {
    return [wordOf(`./${UNKNOWN}`)];
  }
  if (from.name !== 'ls') return [wordOf(UNKNOWN)];
  const places = from.args.filter((word) => !word.text.startsWith('-'));
  return (places.length === 0 ? [wordOf('.')] : places).map((place) => wordOf(`${place.text}/*`, true));
}

function inside(word: Word): Word {
  return word.text.includes(UNKNOWN) ? word : wordOf(`${word.text.replace(/\/\*$/, '')}/${UNKNOWN}`);
}

/** GNU `parallel CMD ::: items`, or with items from its input. */
export const runParallel: Carrier = (command, around) => {
  const words = wordsBehind(command);
  const marks = /^:::[:+]*$/;
  const at = words.findIndex((word) => marks.test(word.text));
  const items =
    at < 0 ? itemsOf(command.input, around, '\n') : words.slice(at + 1).filter((word) => !marks.test(word.text));
  const template = at < 0 ? words : words.slice(0, at);
  return items.slice(0, MOST_LINES).map((item) => {
    const filled = template.some((word) => word.text.includes('{}'))
      ? withFound(template, [item])
      : [...template, item];
    return nestedShell('parallel', joined(filled));
  });
};
