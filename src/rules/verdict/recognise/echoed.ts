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
  const begun = lines.flatMap((line, index): readonly Echoed[] => {
    // npm and pnpm: `> name@1.0.0 test /folder`, then `> vitest run`.
    const script = /^> (?:\S+ )?([\w:./-]+)(?: \/\S+)?$/.exec(line)?.[1];
    const command = /^> (.+)$/.exec(lines[index + 1] ?? '')?.[1];
    if (script !== undefined && command !== undefined) return [{ command, script }];
    // yarn and bun: `$ vitest run`; pnpm -r: `packages/a test$ vitest run`.
    const own = /^(?:[\w@./-]+ [\w:-]+)?\$ (.+)$/.exec(line)?.[1];
    return own === undefined ? [] : [{ command: own, script: null }];
  });
  return begun.length > 0 ? begun : brokenScripts(lines);
}

/** What npm says of a script that failed; where `tail` took its start, this is left. */
function brokenScripts(lines: readonly string[]): readonly Echoed[] {
  return lines.flatMap((line, index): readonly Echoed[] => {
    const [, old, told] = /^npm ERR! \S+@\S+ ([\w:.-]+): `(.+)`$/.exec(line) ?? [];
    if (old !== undefined && told !== undefined) return [{ command: told, script: old }];
    const command = /^npm (?:error|ERR!) command (?:sh -c|\S*cmd(?:\.exe)? \/d \/s \/c) (.+)$/.exec(line)?.[1];
    if (command === undefined) return [];
    const before = lines.slice(0, index).findLast((each) => LIFECYCLE.test(each)) ?? '';
    return [{ command, script: LIFECYCLE.exec(before)?.[1] ?? null }];
  });
}

/** Does npm say that a script with such a name failed? */
export function brokeIn({ lines }: Output, isWanted: (script: string) => boolean): boolean {
  return lines.some((line) => isWanted(LIFECYCLE.exec(line)?.[1] ?? ''));
}

const LIFECYCLE = /^npm (?:error|ERR!) Lifecycle script `([^`]+)` failed/;
