import type { LoadedConfig } from '../../adapters/workspace/config/config.ts';
import { FileProblemsError } from '../../contracts/errors.ts';
import type { Problem } from '../../contracts/model.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { type Finding, look } from './finding.ts';

/** Loads the configuration; each of its problems has the command that takes it away. */
export async function examineSettings(
  load: () => Promise<LoadedConfig>,
): Promise<readonly [LoadedConfig | null, Finding]> {
  let problems: readonly Problem[] = [];
  const [loaded, finding] = await look(
    'config',
    () =>
      load().catch((error: unknown) => {
        if (error instanceof FileProblemsError) problems = error.problems;
        throw error;
      }),
    ({ warnings }) => warnings.join('; ') || 'valid',
  );
  if (loaded === null) return [null, problems.length === 0 ? finding : { ...finding, ...waysOut(problems) }];
  if (loaded.warnings.length === 0) return [loaded, finding];
  return [loaded, { ...finding, state: 'warning', mend: loaded.warnings.flatMap(wayOutOfWarning) }];
}

/** Pure. */
function waysOut(problems: readonly Problem[]): Pick<Finding, 'more' | 'mend'> {
  return {
    more: problems.map(({ file, line, message, mend }) => `${file}:${line}: ${message}; ${mend}`),
    mend: [...new Set(problems.map(({ message }) => `ralph config set ${shellWord(keyIn(message))} --unset`))],
  };
}

/** The setting that a problem is about: its message begins with it, or ends so. */
function keyIn(message: string): string {
  return /'([^']*)'/.exec(message)?.[1] ?? '';
}

function wayOutOfWarning(warning: string): readonly string[] {
  const [, variable] = /^(RALPH_\w+) is no variable/.exec(warning) ?? [];
  if (variable !== undefined) return [`unset ${variable}`];
  const [, asked] = /^maxIterations (\d+) is capped/.exec(warning) ?? [];
  return asked === undefined ? [] : [`ralph config set maxAllowedIterations ${asked}`];
}
