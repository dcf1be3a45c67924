import type { SimpleCommand, Text, Word } from '../../api.ts';
import { hasFlag, operands, optionValues, textsOf, wordsBehind } from '../../options.ts';
import { namesIn, table } from '../../tables.ts';
import { constant, wordOf } from '../../words.ts';
import { type Carrier, type Nested, nestedShell, type Surroundings } from '../frame.ts';

/*
 * The same text wrote it and runs it: a program by its path, a file that a runner is given (`python x.py`, `uv run
 * x.py`), or one that it finds by itself (a makefile, package.json, the sources of `go run .`).
 */

/** What a program runs of the files that the text wrote, besides those that its words name. */
interface Runner {
  /** Its files by their last name. */
  readonly files?: RegExp;
  /** Only with one of these as the first word. */
  readonly verbs?: RegExp;
  /** The shell commands in such a file, by task. Without it, the file is a program, see `LANGUAGES`. */
  readonly commands?: (text: string, command: SimpleCommand) => readonly Step[];
}

type Step = readonly [code: string, task?: string];

/** What the steps of a task are found behind; with it, what the task does is known. */
export function viaTask(program: string, task = ''): string {
  return `${program} ${task}`.trimEnd();
}

const RUNNERS = table<Runner>([
  ['make gmake', { files: /^(GNU)?[Mm]akefile$|\.(mk|mak)$/, commands: recipes }],
  ['just', { files: /^\.?justfile$|\.just$/i, commands: recipes }],
  ['task go-task', { files: /^taskfile\.(dist\.)?ya?ml$/i, commands: listedCommands }],
  ['npm pnpm yarn bun', { files: /^package\.json$/, commands: packageScripts }],
  ['rake', { files: /^Rakefile$|\.rake$/ }],
  ['go', { files: /\.go$/, verbs: /^(run|test|generate)$/ }],
  ['cargo', { files: /\.rs$/, verbs: /^(r|run|t|test|bench|b|build|c|check)$/ }],
  ['pytest tox nox', { files: /\.py$/ }],
  ['jest vitest mocha ava', { files: /\.[cm]?[jt]sx?$/ }],
  ['rspec', { files: /\.rb$/ }],
  ['gradle gradlew', { files: /\.(gradle|kts)$/ }],
  [
    'python pypy ipython uv node nodejs tsx ts-node esno jiti bun deno perl ruby php lua luajit Rscript groovy java',
    {},
  ],
]);

/** The language of a program by the end of its name. */
const LANGUAGES = table([
  ['sh bash zsh ksh', 'shell'],
  ['py', 'python'],
  ['js mjs cjs ts mts cts jsx tsx', 'javascript'],
  ['rb rake Rakefile', 'ruby'],
  ['pl', 'perl'],
  ['php', 'php'],
  ['lua', 'lua'],
  ['R r groovy gradle kts java go rs', 'c'],
]);

/** By the first line, then the name; else a shell script. Null for data, which nothing runs. */
function languageOf(path: string, text: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const [, interpreter] = /^#!.*?(python|node|deno|bun|ruby|perl|php|lua)[\d.]*\b/.exec(text) ?? [];
  if (interpreter !== undefined) return /node|deno|bun/.test(interpreter) ? 'javascript' : interpreter;
  if (text.startsWith('#!')) return 'shell';
  return LANGUAGES.get(ending) ?? (ending === name ? 'shell' : null);
}

export const runWritten: Carrier = (command, around) => {
  const own = /[./]/.test(command.word.text) ? around.fileText(command.word) : null;
  if (own !== null) return fromProgram(command.word.text, own, command.word, command.args);
  const runner = RUNNERS.get(command.name.replace(/\d[\d.]*$/, ''));
  if (runner === undefined) return [];
  const { files, verbs, commands } = runner;
  const named = commands === undefined ? namedPrograms(command, around) : [];
  if (files === undefined || named.length > 0) return named;
  if (verbs !== undefined && !verbs.test(operands(command)[0]?.text ?? '')) return [];
  const given = commands === undefined ? [] : namedTexts(command, around);
  const written = [...around.files].filter(([path]) => files.test(path.slice(path.lastIndexOf('/') + 1)));
  if (commands === undefined) return written.flatMap(([path, text]) => fromProgram(path, text));
  const texts = given.length > 0 ? given : written.map(([, text]) => text);
  return texts.flatMap((text) =>
    commands(text.text, command).map(([code, task]) => nestedShell(viaTask(command.name, task), code)),
  );
};

function fromProgram(path: string, text: Text, zero?: Word, args: readonly Word[] = []): readonly Nested[] {
  const language = languageOf(path, text.text);
  if (language === null) return [];
  if (language === 'shell') return [nestedShell(path, text, zero === undefined ? { args } : { zero, args })];
  return [{ kind: 'language', via: path, language, code: text }];
}

/** `python -u x.py`: after any options, a file that was written before. */
function namedPrograms(command: SimpleCommand, around: Surroundings): readonly Nested[] {
  return command.args.flatMap((word) => {
    const text = around.fileText(word);
    return text === null ? [] : fromProgram(word.text, text);
  });
}

/** `make -f build.mk`, `make -f - <<E`, `make --eval 'x: ; rm y'`. */
function namedTexts(command: SimpleCommand, around: Surroundings): readonly Text[] {
  const files = command.args.map((word) =>
    /^(-|\/dev\/stdin)$/.test(word.text) ? around.stdin : around.fileText(word),
  );
  return [...files.filter((text) => text !== null), ...optionValues(command, 'eval')];
}

interface Rule {
  readonly targets: readonly string[];
  readonly needs: readonly string[];
  readonly recipe: string[];
}

const RULE = /^([^\s#=:@][^#=:]*)::?(?!=)([^=;]*)(?:;(.*))?$/;
const ASSIGNMENT = /^(?:export\s+|override\s+)*([\w.-]+)\s*(?:::?|[?+])?=\s*(.*)$/;

/** Recipes and `$(shell …)` of a makefile or a justfile: only the recipes that the goals lead to. */
function recipes(text: string, command: SimpleCommand): readonly Step[] {
  const variables = new Map<string, string>();
  const rules: Rule[] = [];
  const lines = [...text.replaceAll('\\\n', ' ').split('\n'), ...textsOf(command.args)];
  for (const line of lines) {
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? [];
    const rule = name === undefined ? RULE.exec(line) : null;
    if (name !== undefined) variables.set(name, value.replace(/^(["'])(.*)\1$/, '$2'));
    else if (rule !== null) {
      const [, targets = '', needs = '', first] = rule;
      rules.push({ targets: namesIn(targets.trim()), needs: namesIn(needs.trim()), recipe: first ? [first] : [] });
    } else if (/^\s/.test(line)) rules.at(-1)?.recipe.push(line);
  }
  // A rehearsal only prints the recipes, but still evaluates `$(shell …)`.
  const rehearses = hasFlag(command, 'n', 'just-print', 'dry-run', 'recon', 'q', 'question');
  const goals = textsOf(operands(command)).filter((word) => !word.includes('='));
  const calls = [...text.matchAll(/\$\(shell\s+([^)]*)\)/g)].map((match): Step => [match[1] ?? '']);
  const chosen = rehearses ? [] : chosenBy(goals, rules);
  return [
    ...calls,
    ...chosen.flatMap(({ targets, needs, recipe }) => {
      const own = new Map([...variables, ['@', targets.join(' ')], ['^', needs.join(' ')], ['<', needs[0] ?? '']]);
      return recipe.map((line): Step => [withVariables(line, own).replace(/^\s*[@+-]*/, ''), targets[0] ?? '']);
    }),
  ];
}

/** The first target when no goal is given; all of them when a goal or its dependencies are unknown. */
function chosenBy(goals: readonly string[], rules: readonly Rule[]): readonly Rule[] {
  const first = rules.find(({ targets: [name = '.'] }) => !name.startsWith('.'));
  const wanted = new Set(goals.length > 0 ? goals : (first?.targets ?? []));
  // The set grows during this loop.
  for (const goal of wanted) {
    for (const rule of rules) if (rule.targets.includes(goal)) for (const need of rule.needs) wanted.add(need);
  }
  const unclear = [...wanted, ...rules.flatMap(({ targets }) => targets)].some((name) => /[$%{\uFFFD]/.test(name));
  return unclear ? rules : rules.filter(({ targets }) => targets.some((name) => wanted.has(name)));
}

/** `$(X)`, `${X}`, `$@` and just's `{{X}}`; what the file does not set is a variable of the environment. */
function withVariables(line: string, variables: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > 4) return line;
  return line
    .replace(/\$\$|\$[({]([\w.-]+)[)}]|\$([@^<])|\{\{\s*([\w.-]+)(?:\(\))?\s*\}\}/g, (whole, name, mark, braces) => {
      if (whole === '$$') return depth === 0 ? '\u0000' : '$$';
      const value = variables.get(name ?? mark ?? braces);
      if (value !== undefined) return withVariables(value, variables, depth + 1);
      return braces === 'home_directory' ? '~' : `\u0000{${name ?? mark ?? braces}}`;
    })
    .replaceAll('\u0000', depth === 0 ? '$' : '\u0000');
}

/** The items of a Taskfile: each may be a command. */
function listedCommands(text: string): readonly Step[] {
  return [...text.matchAll(/^[ \t]*(?:-[ \t]+(?:cmd:[ \t]*)?|cmds?:[ \t]*)(\S.*)$/gm)].map((match) => [match[1] ?? '']);
}

/** The scripts of package.json that a command of the package manager starts, with their `pre` and `post`. */
function packageScripts(text: string, command: SimpleCommand): readonly Step[] {
  const scripts = /"scripts"\s*:\s*\{([^}]*)\}/.exec(text)?.[1] ?? '';
  const wanted = wantedScripts(command);
  return [...scripts.matchAll(/"([^"]+)"\s*:\s*("(?:[^"\\]|\\.)*")/g)].flatMap(
    ([, name = '', code = '']): readonly Step[] => (wanted.includes(name) ? [[unquoted(code), name]] : []),
  );
}

function unquoted(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json;
  }
}

/** Scripts that run by themselves during these commands. */
const LIFE_CYCLE = table([
  ['install i ci add update rebuild', 'preinstall install postinstall prepublish preprepare prepare postprepare'],
  ['publish pack', 'prepublishOnly prepack prepare postpack publish postpublish'],
  ['version', 'preversion version postversion'],
]);

function wantedScripts(command: SimpleCommand): readonly string[] {
  const [verb = wordOf('install'), name] = wordsBehind(command);
  const script = /^(run(-script)?|rum|urn)$/.test(verb.text)
    ? (name?.text ?? '')
    : verb.text.replace(/^(t|tst)$/, 'test');
  return [`pre${script}`, script, `post${script}`, ...namesIn(LIFE_CYCLE.get(verb.text) ?? '')];
}

/** The file with the scripts that `npm pkg set scripts.NAME=CODE` sets. */
export function scriptsSet({ args }: SimpleCommand): readonly { readonly file: Word; readonly text: Text }[] {
  if (args[0]?.text !== 'pkg' || args[1]?.text !== 'set') return [];
  return args.flatMap(({ text }) => {
    const [, script, code = ''] = /^scripts\.([\w:.-]+)=([\s\S]*)$/.exec(text) ?? [];
    if (script === undefined) return [];
    return [{ file: wordOf('package.json'), text: constant(JSON.stringify({ scripts: { [script]: code } })) }];
  });
}
