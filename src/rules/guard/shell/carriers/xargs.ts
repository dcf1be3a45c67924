import type { Input, SimpleCommand, Word } from '../../api.ts';
import { behindOptions, optionValue } from '../../flags.ts';
import type { Carrier, Nested, Surroundings } from '../nested.ts';
import { isKnown, joined, UNKNOWN, wordOf } from '../text.ts';
import { foundBy, withFound } from './find.ts';

const VALUE_OPTIONS =
  'I n P L s d a E max-args max-procs max-lines max-chars delimiter arg-file eof process-slot-var'.split(' ');

/** At most so many lines of known input are followed, each as a command of its own. */
const MOST_LINES = 64;

/** `xargs CMD`: with the words of its input where the text tells them, else with unknown ones. */
export const runXargs: Carrier = (command, around) => {
  const words = behindOptions(command.args, VALUE_OPTIONS);
  if (words.length === 0) return [];
  const mark =
    optionValue(command, 'I', 'replace')?.text ?? (command.args.some((word) => word.text === '-i') ? '{}' : null);
  const separator = optionValue(command, 'd', 'delimiter')?.text ?? null;
  const file = optionValue(command, 'a', 'arg-file');
  const given = file === null ? around : { ...around, stdin: around.fileText(file) };
  const items = itemsOf(command.input, given, mark === null ? separator : '\n');
  const argv = (argument: readonly Word[]): Nested => ({ kind: 'argv', via: 'xargs', words: argument });
  if (mark === null) return [argv([...words, ...items])];
  return items.slice(0, MOST_LINES).map((item) => argv(withFound(words, [item], mark)));
};

/** The words that a command gets from its input. What `find` and `ls` print lies in the folder they look at. */
function itemsOf(input: Input, around: Surroundings, separator: string | null): readonly Word[] {
  const { stdin } = around;
  if (stdin !== null && isKnown(stdin)) {
    const split = separator === null ? /[\s\0]+/ : separator === '\\0' ? '\0' : separator;
    const words = stdin.text.split(split).filter((text) => text.trim() !== '');
    return words.map((text) => wordOf(unquoted(text)));
  }
  if (input.kind !== 'pipe') return [wordOf(UNKNOWN)];
  return printedFiles(input.from);
}

function unquoted(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/, '$2');
}

/** Programs that print some of the lines they read. */
const FILTERS = /^(grep|egrep|fgrep|rg|head|tail|sort|uniq|tac|sed|awk|cut|tr|tee|cat|shuf|xargs)$/;

function printedFiles(from: SimpleCommand): readonly Word[] {
  if (from.name === 'find') return foundBy(from);
  if (FILTERS.test(from.name) && from.input.kind === 'pipe') return printedFiles(from.input.from).map(inside);
  if (from.name === 'git' && from.args.some((word) => /^(ls-files|diff|grep|status)$/.test(word.text))) {
    return [wordOf(`./${UNKNOWN}`)];
  }
  if (from.name !== 'ls') return [wordOf(UNKNOWN)];
  const places = from.args.filter((word) => !word.text.startsWith('-'));
  return (places.length === 0 ? [wordOf('.')] : places).map((place) => wordOf(`${place.text}/*`, true));
}

/** A filter leaves a part of what lies in a folder. */
function inside(word: Word): Word {
  return word.text.includes(UNKNOWN) ? word : wordOf(`${word.text.replace(/\/\*$/, '')}/${UNKNOWN}`);
}

/** GNU `parallel CMD ::: items`, or with items on its input. */
export const runParallel: Carrier = (command, around) => {
  const words = behindOptions(command.args, [
    'j',
    'jobs',
    'a',
    'arg-file',
    'I',
    'S',
    'sshlogin',
    'n',
    'N',
    'results',
    'joblog',
  ]);
  const marks = /^:::[:+]*$/;
  const at = words.findIndex((word) => marks.test(word.text));
  const items =
    at < 0 ? itemsOf(command.input, around, '\n') : words.slice(at + 1).filter((word) => !marks.test(word.text));
  const template = at < 0 ? words : words.slice(0, at);
  return items.slice(0, MOST_LINES).map((item) => {
    const filled = template.some((word) => word.text.includes('{}'))
      ? withFound(template, [item])
      : [...template, item];
    return { kind: 'shell', via: 'parallel', code: joined(filled), where: 'child' };
  });
};
