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
  const problems: Problem[] = [];
  const used = new Set<VariableName>();
  const text = template.replace(
    PLACEHOLDER,
    (match: string, name: string | undefined, older: VariableName | undefined, offset: number) => {
      const variable = older ?? name ?? '';
      if (isVariableName(variable)) {
        used.add(variable);
        return variables[variable];
      }
      problems.push(unknown(variable, file, lineAt(template, offset)));
      return match;
    },
  );
  if (problems.length > 0) return { problems };
  const missing = missingFrom(used)
    .map((name) => variables[name])
    .filter((part) => part !== '');
  return { text: missing.length === 0 ? text : `${[text.trimEnd(), ...missing].join('\n\n')}\n` };
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
