import type { GuardTest, SimpleCommand } from '../../api.ts';
import { hasFlag } from '../../flags.ts';
import { withoutGlobalOptions } from './git.ts';

interface Shape {
  /** What each subcommand in turn may be. */
  readonly subcommands: readonly RegExp[];
  /** Of each group one option is given. */
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
}

/**
 * True for a command of one of these shapes, each written as one would type it: a program, its subcommands in order,
 * options. `a|b` is either; `*` in a subcommand stands for any text; `!--cached` is an option that must be absent;
 * other words and options of the command don't matter. `git stash drop|clear`, `git rm -r|-R !--cached`,
 * `heroku *:destroy`, `terraform apply -auto-approve`.
 * Never true for a command that only explains or rehearses (`--help`, and `--dry-run` where the program honours it).
 * A line is parsed when its program is first met: a hook is started for one command.
 */
export function shapes(...lines: readonly string[]): GuardTest {
  const byProgram = new Map<string, (string | Shape)[]>();
  for (const line of lines) {
    for (const program of programsOf(line)) byProgram.set(program, [...(byProgram.get(program) ?? []), line]);
  }
  const test: GuardTest = (command) => {
    const candidates = byProgram.get(command.name);
    if (candidates === undefined || isRehearsal(command)) return false;
    const bare = withoutGlobalOptions(command);
    return candidates.some((candidate, at) => {
      const shape = typeof candidate === 'string' ? parseShape(candidate) : candidate;
      candidates[at] = shape;
      return fits(bare, shape);
    });
  };
  return Object.assign(test, { programs: [...byProgram.keys()] });
}

function programsOf(line: string): readonly string[] {
  return (line.split(' ', 1)[0] ?? '').split('|');
}

/** Whether these subcommands come first among the words of a command. Values of options between them are skipped. */
function hasSubcommands({ args }: Pick<SimpleCommand, 'args'>, wanted: readonly RegExp[]): boolean {
  return followOn(
    args.map((word) => word.text),
    wanted,
    false,
  );
}

/** `afterOption`: the first text may be the value of an option, since nobody told which options take one. */
function followOn(texts: readonly string[], wanted: readonly RegExp[], afterOption: boolean): boolean {
  const [pattern, ...laterPatterns] = wanted;
  const [text, ...later] = texts;
  if (pattern === undefined) return true;
  if (text === undefined) return false;
  if (text.length > 1 && text.startsWith('-')) return followOn(later, wanted, !text.includes('=') && text !== '--');
  if (pattern.test(text) && followOn(later, laterPatterns, false)) return true;
  return afterOption && followOn(later, wanted, false);
}

const HONOUR_DRY_RUN: ReadonlySet<string> = new Set([
  'git',
  'npm',
  'pnpm',
  'cargo',
  'kubectl',
  'oc',
  'helm',
  'aws',
  'rsync',
  'twine',
  'poetry',
  'uv',
  'lerna',
  'dart',
  'semantic-release',
  'release-it',
  'np',
  'vsce',
  'chezmoi',
  'stow',
  'lftp',
  'systemctl',
  'jsr',
  'deno',
  'bun',
]);

/** Programs whose rehearsal has a short name too. */
const SHORT_DRY_RUN: ReadonlyMap<string, string> = new Map([
  ['rsync', 'n'],
  ['make', 'n'],
  ['cargo', 'n'],
]);

/** Whether a command only explains itself, or says what it would do. */
export function isRehearsal(command: Pick<SimpleCommand, 'name' | 'args'>): boolean {
  if (hasFlag(command, 'help', '-help') || command.args.at(-1)?.text === '-h') return true;
  if (hasFlag(command, ...(SHORT_DRY_RUN.get(command.name) ?? []))) return true;
  if (!HONOUR_DRY_RUN.has(command.name)) return false;
  return command.args.some(({ text }, at) => {
    if (!/^--?dry-?run(=|$)/.test(text)) return false;
    const value = text.includes('=') ? text.slice(text.indexOf('=') + 1) : command.args[at + 1]?.text;
    return !/^(false|none|no|0)$/.test(value ?? '');
  });
}

function fits(command: SimpleCommand, shape: Shape): boolean {
  return (
    hasSubcommands(command, shape.subcommands) &&
    shape.required.every((group) => hasFlag(command, ...group)) &&
    (shape.forbidden.length === 0 || !hasFlag(command, ...shape.forbidden))
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
