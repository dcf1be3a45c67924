import { type Check, fieldsOf, firstText, has, jsonFields, type ProjectFiles, Rank } from './files.ts';
import { languageChecks, pythonChecks } from './languages.ts';
import { checksIn, nodeChecks, runsTests, type Scripts } from './node.ts';

/** Targets that stand for all of a project's checks: they override what its languages suggest. */
const EVERYTHING = /^(verify|check|ci|check[:-]all|checks|validate|qa)$/;

/**
 * The checks of a project as commands, cheapest first: a proposal from the files of one folder. Names that the project
 * itself uses for its checks override what its tools suggest; the same tests are not listed twice.
 */
export function projectChecks(files: ProjectFiles): readonly string[] {
  const node = nodeChecks(files);
  const runner = runnerChecks(files);
  if (runner !== null && (runner.everything || !runsTests(node))) return ordered(runner.checks);
  const languages = [...node, ...pythonChecks(files), ...languageChecks(files)];
  const linted = languages.some(({ rank }) => rank !== Rank.test);
  const hooks = has(files, '.pre-commit-config.yaml') && !linted;
  return ordered([...(hooks ? [{ rank: Rank.lint, command: 'pre-commit run --all-files' }] : []), ...languages]);
}

function runnerChecks(files: ProjectFiles): { readonly checks: readonly Check[]; readonly everything: boolean } | null {
  for (const runner of RUNNERS) {
    const checks = checksIn(targetsOf(runner, files), (target) => `${runner.program} ${target}`);
    if (!runsTests(checks)) continue;
    return { checks, everything: checks.some(({ command }) => EVERYTHING.test(command.split(' ')[1] ?? '')) };
  }
  return null;
}

function ordered(checks: readonly Check[]): readonly string[] {
  const sorted = [...checks].sort((a, b) => a.rank - b.rank);
  return [...new Set(sorted.map(({ command }) => command))];
}

/** A check that is also part of another one. */
export interface Contained {
  readonly check: string;
  readonly within: string;
}

/**
 * The checks that run twice for each tree, because another check includes them: `npm run lint` next to an `npm test`
 * that lints first. Determined from scripts of `package.json` and targets of make, just and task.
 * @param commands all for the folder that contains the files
 */
export function containedChecks(commands: readonly string[], files: ProjectFiles): readonly Contained[] {
  const all = commands.map((command) => ({ command, steps: new Set(stepsOf(command, files, [])) }));
  return all.flatMap(({ command: check, steps }, at) => {
    const within = all.find(
      (other, otherAt) =>
        otherAt !== at &&
        steps.size > 0 &&
        [...steps].every((step) => other.steps.has(step)) &&
        // Of two checks with the same steps, the second is redundant.
        (other.steps.size > steps.size || otherAt < at),
    );
    return within === undefined ? [] : [{ check, within: within.command }];
  });
}

/** The commands that a command finally runs. */
function stepsOf(command: string, files: ProjectFiles, outer: readonly string[]): readonly string[] {
  return command
    .split(/&&|;|\n/)
    .map((part) => part.trim().replace(/^[@-]+/, ''))
    .filter((part) => part !== '' && !outer.includes(part))
    .flatMap((part) => {
      const called = calledBy(part, files);
      if (called === null) return [part.replace(/^(?:npx|bunx|(?:pnpm|yarn) exec) (?:--no-install )?/, '')];
      return called.flatMap((text) => stepsOf(text, files, [...outer, part]));
    });
}

/** The texts of the scripts and targets that a command names; null when it names none. */
function calledBy(command: string, files: ProjectFiles): readonly string[] | null {
  const scripts = fieldsOf(jsonFields(files, 'package.json')['scripts']);
  const textOf = (name: string) => {
    const texts = [`pre${name}`, name, `post${name}`].map((one) => scripts[one]);
    return typeof scripts[name] === 'string' ? texts.filter((text) => typeof text === 'string') : null;
  };
  const [, script, args = ''] = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)(?: (?:-- )?(.+))?$/.exec(command) ?? [];
  if (script !== undefined) return textOf(script)?.map((text) => `${text} ${args}`.trim()) ?? null;
  const [, several] = /^(?:npm-run-all|run-s|run-p)((?: [\w:.-]+)+)$/.exec(command) ?? [];
  if (several !== undefined)
    return allOf(
      several
        .trim()
        .split(' ')
        .filter((word) => !word.startsWith('-'))
        .map(textOf),
    );
  for (const runner of RUNNERS) {
    const [, names] = new RegExp(`^${runner.program}((?: [\\w:.-]+)+)$`).exec(command) ?? [];
    if (names === undefined) continue;
    const targets = targetsOf(runner, files);
    const bodyOf = (name: string) => targets.get(name)?.split('\n').flatMap(asCommands) ?? null;
    // A target's first line names the targets it needs.
    const asCommands = (line: string): readonly string[] => {
      const words = line.split(/\s+/);
      return words.every((word) => targets.has(word)) ? words.map((word) => `${runner.program} ${word}`) : [line];
    };
    return allOf(names.trim().split(' ').map(bodyOf));
  }
  return null;
}

/** Null if any of them is unknown. */
function allOf(texts: readonly (readonly string[] | null)[]): readonly string[] | null {
  const known = texts.flatMap((some) => some ?? []);
  return texts.includes(null) ? null : known;
}

/** A program that runs targets out of a file, in a project of any language. */
interface Runner {
  readonly program: string;
  readonly files: readonly string[];
  readonly targets: (text: string) => Scripts;
}

/** `name: needs` and, indented below, its recipe; several names may share one. Not `name := value`. */
const MAKE_TARGET = /^([\w.%/-]+(?:[ \t]+[\w.%/-]+)*)[ \t]*::?(?!=)(.*)$/;
/** `@name param='x': needs`; not `name := value` and not `alias`. */
const JUST_RECIPE = /^@?([\w-]+)(?:[ \t][^:=]*(?:(?:='[^']*'|="[^"]*")[^:=]*|=\S+(?:\s[^:=]*)?)?)?:(?!=)(.*)$/;
const TASK_NAME = /^ {2}['"]?([\w:.-]+)['"]?:(.*)$/;

const RUNNERS: readonly Runner[] = [
  { program: 'make', files: ['GNUmakefile', 'makefile', 'Makefile'], targets: (text) => blocks(text, MAKE_TARGET) },
  { program: 'just', files: ['justfile', 'Justfile', '.justfile'], targets: (text) => blocks(text, JUST_RECIPE) },
  {
    program: 'task',
    files: ['Taskfile.yml', 'Taskfile.yaml', 'Taskfile.dist.yml'],
    targets: (text) => blocks(/^tasks:[ \t]*\n([\s\S]*?)(?=^\S|(?![\s\S]))/m.exec(text)?.[1] ?? '', TASK_NAME),
  },
];

function targetsOf({ files, targets }: Runner, project: ProjectFiles): Scripts {
  return targets(firstText(project, files));
}

/** Each head with the lines indented below it and the text after its colon, as one script. */
function blocks(text: string, head: RegExp): Scripts {
  const found = new Map<string, string>();
  let names: readonly string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = head.exec(line);
    if (match !== null) {
      names = (match[1] ?? '').split(/[ \t]+/);
      for (const name of names) found.set(name, `${found.get(name) ?? ''}${(match[2] ?? '').trim()}\n`);
    } else if (/^\s/.test(line)) {
      for (const name of names) found.set(name, `${found.get(name) ?? ''}${line.trim()}\n`);
    } else if (line !== '') names = [];
  }
  return new Map([...found].map(([name, body]) => [name, body.trim()]));
}
