import type { Output } from '../clean.ts';

/** Lines of output that may hold the first command of a recipe. */
const RECIPE_LINES = 12;
/** A project with more of them says nothing new with the rest. */
const MOST_COMMANDS = 30;

/**
 * Commands that npm, yarn, pnpm, bun and make print before they run them: they tell what hides behind a name.
 * Only to be asked when the command calls such a name, as anything can print a line like these.
 */
export function echoedCommands({ lines }: Output, from: 'package' | 'make'): readonly string[] {
  const found = from === 'make' ? recipeLines(lines) : scriptLines(lines);
  return [...new Set(found)].slice(0, MOST_COMMANDS);
}

function recipeLines(lines: readonly string[]): readonly string[] {
  return lines.slice(0, RECIPE_LINES).filter((line) => /^[\w./@-]+(?: |$)/.test(line));
}

function scriptLines(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line, index) => {
    // npm and pnpm: `> name@1.0.0 test /folder`, then `> vitest run`.
    if (/^> (?:\S+ )?[\w:./-]+(?: \/\S+)?$/.test(line)) {
      const next = /^> (.+)$/.exec(lines[index + 1] ?? '')?.[1];
      if (next !== undefined) return [next];
    }
    // yarn and bun: `$ vitest run`; pnpm -r: `packages/a test$ vitest run`.
    const own = /^(?:[\w@./-]+ [\w:-]+)?\$ (.+)$/.exec(line)?.[1];
    return own === undefined ? [] : [own];
  });
}
