import type { Output } from '../clean.ts';

/** Lines of output that may hold the first command of a recipe. */
const RECIPE_LINES = 12;
/** A project with more of them says nothing new with the rest. */
const MOST_COMMANDS = 30;

export interface Echoed {
  readonly command: string;
  /** The script that it stands in; null when that is not printed. */
  readonly script: string | null;
}

/**
 * Commands that npm, yarn, pnpm, bun and make print before they run them: they tell what hides behind a name.
 * Only to be asked when the command calls such a name, as anything can print a line like these.
 */
export function echoedCommands({ lines }: Output, from: 'package' | 'make'): readonly Echoed[] {
  const found = from === 'make' ? recipeLines(lines) : scriptLines(lines);
  return found.slice(0, MOST_COMMANDS);
}

function recipeLines(lines: readonly string[]): readonly Echoed[] {
  const recipe = lines.slice(0, RECIPE_LINES).filter((line) => /^[\w./@-]+(?: |$)/.test(line));
  return recipe.map((command) => ({ command, script: null }));
}

function scriptLines(lines: readonly string[]): readonly Echoed[] {
  return lines.flatMap((line, index): readonly Echoed[] => {
    // npm and pnpm: `> name@1.0.0 test /folder`, then `> vitest run`.
    const script = /^> (?:\S+ )?([\w:./-]+)(?: \/\S+)?$/.exec(line)?.[1];
    const command = /^> (.+)$/.exec(lines[index + 1] ?? '')?.[1];
    if (script !== undefined && command !== undefined) return [{ command, script }];
    // yarn and bun: `$ vitest run`; pnpm -r: `packages/a test$ vitest run`.
    const own = /^(?:[\w@./-]+ [\w:-]+)?\$ (.+)$/.exec(line)?.[1];
    return own === undefined ? [] : [{ command: own, script: null }];
  });
}
