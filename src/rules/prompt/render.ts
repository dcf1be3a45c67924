import type { Problem } from '../../contracts/model.ts';
import { nearest } from '../nearest.ts';
import { isVariableName, type PromptVariables, VARIABLE_NAMES, type VariableName } from './variables.ts';

/** `problems` when the template names a placeholder that does not exist; then there is no text. */
export type Rendered = { readonly text: string } | { readonly problems: readonly Problem[] };

const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}|\$RALPH_(MAX_ITERATIONS|ITERATION)\b/g;

/**
 * Puts the variables into a template: `{{NAME}}`, and the older `$RALPH_ITERATION` and `$RALPH_MAX_ITERATIONS`. One
 * pass, literally: nothing is evaluated and what was put in is not looked at again. Whatever a template must not leave
 * out is appended where it does.
 *
 * @param file path of the template, for the problems
 */
export function renderPrompt(template: string, variables: PromptVariables, file: string): Rendered {
  const names = [...template.matchAll(PLACEHOLDER)].map((match) => ({
    name: match[2] ?? match[1] ?? '',
    at: match.index,
  }));
  const problems = names
    .filter(({ name }) => !isVariableName(name))
    .map(({ name, at }) => unknown(name, file, lineAt(template, at)));
  if (problems.length > 0) return { problems };
  const used = new Set(names.map(({ name }) => name).filter(isVariableName));
  const text = withoutEmptyLines(template, variables).replace(
    PLACEHOLDER,
    (match: string, name?: string, older?: string) => {
      const variable = older ?? name ?? '';
      return isVariableName(variable) ? variables[variable] : match;
    },
  );
  const missing = missingFrom(used)
    .map((name) => variables[name])
    .filter((part) => part !== '');
  return { text: missing.length === 0 ? text : `${[text.trimEnd(), ...missing].join('\n\n')}\n` };
}

/** A placeholder alone on its line that has nothing to say takes the line, and one empty line below, with it. */
function withoutEmptyLines(template: string, variables: PromptVariables): string {
  return template.replace(
    /^[ \t]*\{\{[ \t]*([A-Z_]+)[ \t]*\}\}[ \t]*\r?\n([ \t]*\r?\n)?/gm,
    (lines: string, name: string) => (isVariableName(name) && variables[name] === '' ? '' : lines),
  );
}

/**
 * What every prompt carries: the story, and what a person or the last iteration has to say about it. A template of the
 * older kind, without the story, knows no modes either, so that it gets their instructions too.
 */
function missingFrom(used: ReadonlySet<VariableName>): readonly VariableName[] {
  const story: readonly VariableName[] = used.has('STORY_BLOCK') ? [] : ['STORY_BLOCK', 'MODE_INSTRUCTIONS', 'SIGNAL'];
  return [...story, ...(['FAILURE_CONTEXT', 'STEER'] as const)].filter((name) => !used.has(name));
}

function unknown(name: string, file: string, line: number): Problem {
  const hint = nearest(name, VARIABLE_NAMES);
  return {
    severity: 'error',
    rule: 'prompt/unknown-placeholder',
    file,
    line,
    message: `{{${name}}} is no known placeholder`,
    mend: hint === null ? `Known are: ${VARIABLE_NAMES.join(', ')}.` : `Did you mean {{${hint}}}?`,
  };
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
