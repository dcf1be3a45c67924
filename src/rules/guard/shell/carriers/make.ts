import type { SimpleCommand } from '../../api.ts';
import { hasFlag, operands, optionValues } from '../../flags.ts';
import type { Carrier, Nested } from '../nested.ts';
import { constant, type Text, wordOf } from '../text.ts';

const VALUES = 'f file makefile C directory I include-dir j jobs l o old-file W what-if eval'.split(' ');

/** Recipes and `$(shell …)` of a makefile that the text holds itself; of the recipes those that the goals lead to. */
export const runMake: Carrier = (command, around) => {
  const files = optionValues(command, 'f', 'file', 'makefile').map((file): Text | null =>
    /^(-|\/dev\/stdin)$/.test(file.text) ? around.stdin : around.fileText(file),
  );
  const given = optionValues(command, 'eval').map((word) => constant(word.text));
  const written =
    files.length === 0 ? ['Makefile', 'makefile', 'GNUmakefile'].map((name) => around.fileText(wordOf(name))) : [];
  return [...files, ...given, ...written].flatMap((text) => (text === null ? [] : fromMakefile(text.text, command)));
};

function fromMakefile(text: string, command: SimpleCommand): readonly Nested[] {
  // A rehearsal prints the recipes, but works out the `$(shell …)` on its way.
  const rehearses = hasFlag(command, 'n', 'just-print', 'dry-run', 'recon', 'q', 'question');
  const goals = operands(command, VALUES)
    .map((word) => word.text)
    .filter((word) => !word.includes('='));
  const recipes = rehearses ? [] : recipesFor(goals, rulesOf(text));
  const calls = [...text.matchAll(/\$\(shell\s+([^)]*)\)/g)].map((match) => match[1] ?? '');
  return [...recipes, ...calls].map((code) => ({ kind: 'shell', via: 'make', code: constant(code), where: 'child' }));
}

interface MakeRule {
  readonly targets: readonly string[];
  readonly needs: readonly string[];
  readonly recipe: string[];
}

const RULE = /^([^\t#=:\s][^#=:]*)::?(?!=)([^=;]*)(?:;(.*))?$/;

function rulesOf(text: string): readonly MakeRule[] {
  const rules: MakeRule[] = [];
  for (const line of text.split('\n')) {
    const rule = RULE.exec(line);
    if (rule !== null) {
      const [, targets = '', needs = '', first = ''] = rule;
      rules.push({ targets: wordsOf(targets), needs: wordsOf(needs), recipe: first === '' ? [] : [asShell(first)] });
    } else if (line.startsWith('\t')) rules.at(-1)?.recipe.push(asShell(line));
  }
  return rules;
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function asShell(line: string): string {
  return line.replace(/^\s*[@+-]*/, '').replaceAll('$$', '$');
}

/** Without goals the first target; all recipes where a goal or what it needs cannot be told from the text. */
function recipesFor(goals: readonly string[], rules: readonly MakeRule[]): readonly string[] {
  const first = rules.find(({ targets: [name = '.'] }) => !name.startsWith('.'));
  const wanted = new Set(goals.length > 0 ? goals : (first?.targets ?? []));
  // The set grows while it is walked.
  for (const goal of wanted) {
    for (const rule of rules) if (rule.targets.includes(goal)) for (const need of rule.needs) wanted.add(need);
  }
  const unclear =
    [...wanted].some((name) => /[$%\uFFFD]/.test(name)) ||
    rules.some(({ targets }) => targets.some((name) => /[$%]/.test(name)));
  const chosen = unclear ? rules : rules.filter(({ targets }) => targets.some((name) => wanted.has(name)));
  return chosen.flatMap(({ recipe }) => recipe);
}
