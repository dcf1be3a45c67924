import { fieldsOf, jsonFields, type ProjectFiles } from './files.ts';
import { RUNNERS, targetsOf } from './runners.ts';

/** A check that another one runs, too. */
export interface Contained {
  readonly check: string;
  readonly within: string;
}

/**
 * The checks that run twice for each tree, because another check runs them as well: `npm run lint` beside an `npm test`
 * that lints first. As far as scripts of `package.json` and targets of make, just and task tell.
 * @param commands all for the folder that the files are of
 */
export function containedChecks(commands: readonly string[], files: ProjectFiles): readonly Contained[] {
  const all = commands.map((command) => ({ command, steps: new Set(stepsOf(command, files, [])) }));
  return all.flatMap(({ command: check, steps }, at) => {
    const within = all.find(
      (other, otherAt) =>
        otherAt !== at &&
        steps.size > 0 &&
        [...steps].every((step) => other.steps.has(step)) &&
        // Of two that run the same, the second is one too many.
        (other.steps.size > steps.size || otherAt < at),
    );
    return within === undefined ? [] : [{ check, within: within.command }];
  });
}

/** The commands that one runs in the end. */
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

/** The texts of the scripts and targets that a command names; null where it names none. */
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
    // What a target needs stands in its first line, by name.
    const asCommands = (line: string): readonly string[] => {
      const words = line.split(/\s+/);
      return words.every((word) => targets.has(word)) ? words.map((word) => `${runner.program} ${word}`) : [line];
    };
    return allOf(names.trim().split(' ').map(bodyOf));
  }
  return null;
}

/** Null where one of them is not known. */
function allOf(texts: readonly (readonly string[] | null)[]): readonly string[] | null {
  const known = texts.flatMap((some) => some ?? []);
  return texts.includes(null) ? null : known;
}
