import type { GuardTest, SimpleCommand } from '../../api.ts';
import { hasFlag, hasWord, textsOf } from '../../options.ts';
import { namesIn, table } from '../../tables.ts';
import { withoutGlobalOptions } from './git.ts';

interface Shape {
  /** The pattern for each subcommand in turn. */
  readonly subcommands: readonly RegExp[];
  /** One option of each group must be given. */
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
}

/**
 * True for a command of one of these shapes, each written as typed: a program, its subcommands one after another,
 * options. `a|b` means either; `*` in a subcommand matches any text; `!--cached` is an option that must be absent; the
 * command's other words and options do not matter. `git stash drop|clear`, `git rm -r|-R !--cached`, `heroku
 * *:destroy`, `terraform apply -auto-approve`. Never true for a command that only explains or rehearses (`--help`, and
 * `--dry-run` where the program honours it). A line is parsed when its program is first met: a hook starts for only one
 * command.
 */
export function shapes(...lines: readonly string[]): GuardTest {
  const byProgram = new Map<string, (string | Shape)[]>();
  for (const line of lines) {
    const [programs = ''] = line.split(' ', 1);
    for (const program of programs.split('|')) {
      const known = byProgram.get(program);
      if (known) known.push(line);
      else byProgram.set(program, [line]);
    }
  }
  return (command) => {
    // `npx netlify-cli` and `npx firebase-tools` run `netlify` and `firebase`.
    const candidates = byProgram.get(command.name) ?? byProgram.get(command.name.replace(/-(cli|tools)$/, ''));
    if (candidates === undefined || isRehearsal(command)) return false;
    const bare = withoutGlobalOptions(command);
    return candidates.some((candidate, at) => {
      const shape = typeof candidate === 'string' ? parseShape(candidate) : candidate;
      candidates[at] = shape;
      return fits(bare, shape);
    });
  };
}

/**
 * Whether these subcommands come first among the words of a command. Values of options between them are skipped.
 * `afterOption`: the first text may be the value of an option, because the options that take one are unknown.
 */
function followOn(texts: readonly string[], wanted: readonly RegExp[], afterOption = false): boolean {
  const [pattern, ...laterPatterns] = wanted;
  const [text, ...later] = texts;
  if (pattern === undefined) return true;
  if (text === undefined) return false;
  if (text.length > 1 && text.startsWith('-')) return followOn(later, wanted, !text.includes('=') && text !== '--');
  if (pattern.test(text) && followOn(later, laterPatterns)) return true;
  return afterOption && followOn(later, wanted, false);
}

/** What makes a program only say what it would do, besides `--dry-run`; in the notation of options.ts. */
const REHEARSALS = table([
  ['rsync', 'n list-only'],
  ['make gmake', 'n just-print recon q question'],
  ['cargo', 'n list'],
  ['wipefs', 'n no-act'],
  ['goreleaser', 'snapshot'],
  ['gradle gradlew', 'm'],
  ['ansible ansible-playbook', 'C check syntax-check list-hosts list-tasks list-tags'],
  ['apt apt-get aptitude', 's simulate just-print'],
  ['dnf yum', 'assumeno'],
  ['brew', 'n'],
  ['tsc', 'noEmit'],
]);

/** Programs that do not stop at an option they do not know, or have `--dry-run` in no version: it changes nothing. */
const NEVER_REHEARSE: ReadonlySet<string> = new Set(
  namesIn(`rm rmdir unlink shred mv cp ln dd chmod chown chgrp truncate tee touch mkfs kill pkill killall echo eval exec
  sh bash zsh dash python python3 node perl ruby php redis-cli psql mysql mongosh sqlite3 curl wget nc ssh sudo su`),
);

/** Programs whose `-h` does not show help. */
const OWN_H =
  /^(chown|chgrp|chmod|touch|ln|shutdown|halt|poweroff|psql|mysql|redis-cli|createdb|dropdb|df|du|ls|sort|grep|rg)$/;

/** Whether a command only explains itself or says what it would do. */
export function isRehearsal(command: Pick<SimpleCommand, 'name' | 'args'>): boolean {
  const { name, args } = command;
  if (name === 'aws' && args.at(-1)?.text === 'help') return true;
  if (hasFlag(command, 'help', '-help') || (args.at(-1)?.text === '-h' && !OWN_H.test(name))) return true;
  if (hasFlag(command, ...namesIn(REHEARSALS.get(name) ?? ''))) return true;
  if (NEVER_REHEARSE.has(name)) return false;
  return args.some(({ text }, at) => {
    if (!/^--?dry-?run(=|$)/.test(text)) return false;
    const value = text.includes('=') ? text.slice(text.indexOf('=') + 1) : args[at + 1]?.text;
    return !/^(false|none|no|0)$/.test(value ?? '');
  });
}

function fits({ name, args }: SimpleCommand, shape: Shape): boolean {
  const call = { name: name === 'git' ? `git-${args[0]?.text}` : name, args };
  return (
    followOn(textsOf(args), shape.subcommands) &&
    shape.required.every((group) => hasFlag(call, ...group)) &&
    (shape.forbidden.length === 0 || !hasFlag(call, ...shape.forbidden))
  );
}

function parseShape(line: string): Shape {
  const words = line.split(' ').slice(1);
  const options = words.filter((word) => word.startsWith('-')).map(namesOf);
  const absent = words.filter((word) => word.startsWith('!')).flatMap((word) => namesOf(word.slice(1)));
  const subcommands = words.filter((word) => !/^[-!]/.test(word)).map(patternOf);
  return { subcommands, required: options, forbidden: absent };
}

/** `-f|--force|-auto-approve` in the spelling of `hasFlag`: `f`, `force`, `-auto-approve`. */
function namesOf(word: string): readonly string[] {
  return word.split('|').map((name) => {
    if (name.startsWith('--')) return name.slice(2);
    return name.length === 2 ? name.slice(1) : name;
  });
}

function patternOf(word: string): RegExp {
  const escaped = word.replace(/[.+^$()[\]{}\\?]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^(${escaped})$`);
}

/** A test that is true only for commands of these programs; `python` also means `python3.13`, see `familyOf`. */
export function forPrograms(programs: string | readonly string[], test: GuardTest): GuardTest {
  const known = new Set(typeof programs === 'string' ? programs.split(' ') : programs);
  return (command, context, script) =>
    (known.has(command.name) || known.has(familyOf(command.name))) && test(command, context, script);
}

/** `python` for `python3.13`, `mkfs` for `mkfs.ext4`. */
export function familyOf(program: string): string {
  const end = program.search(/[\d.]/);
  return end < 0 ? program : program.slice(0, end);
}

/** `myapp_test`, `--env=testing`, `docker-compose.test.yml`: made for the project's tests, which make it again. */
export const isForTests: GuardTest = (command) => hasWord(command, /[\w.-][._/=-]test(s|ing)?([._-][\w.-]*)?$/);

/** Any of several shapes and tests. */
export function anyOf(...choices: readonly (string | GuardTest)[]): GuardTest {
  const lines = choices.filter((choice) => typeof choice === 'string');
  const tests = [shapes(...lines), ...choices.filter((choice) => typeof choice !== 'string')];
  return (command, context, script) => tests.some((test) => test(command, context, script));
}

export function allOf(...tests: readonly GuardTest[]): GuardTest {
  return (command, context, script) => tests.every((test) => test(command, context, script));
}

export function not(test: GuardTest): GuardTest {
  return (command, context, script) => !test(command, context, script);
}
