import type { OldHook } from '../../adapters/workspace/import/hooks.ts';
import { FileProblemsError, type RalphError, UsageError } from '../../contracts/errors.ts';
import type { Problem, StoryState } from '../../contracts/model.ts';
import type { SettingMove } from '../../rules/import/migrate-settings.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';

/** What `ralph import` was asked for. */
export interface ImportRequest {
  readonly source: string;
  /** Which of the backlogs of a folder; null when there is no choice to make. */
  readonly chosen: string | null;
  readonly dryRun: boolean;
  readonly repair: boolean;
  readonly force: boolean;
  readonly flags: RawFlags;
  readonly io: Io;
}

/** What came of it; `--json` prints it as it is. */
export interface Imported {
  /** The file that the stories come from; null for issues. */
  readonly file: string | null;
  readonly stories: number;
  readonly done: number;
  readonly format: 'prd-json' | 'markdown' | 'tasks-json' | 'github';
  readonly warnings: readonly string[];
  /** Where the stories stood, in a few signs. */
  readonly shape: string;
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly state: StoryState;
    readonly priority: number;
    readonly dependsOn: readonly string[];
  }[];
  /** Of issues: stories that were not there yet. */
  readonly added?: number;
  /** Settings of the other loop, and what becomes of each. */
  readonly settings?: readonly SettingMove[];
  /** Hooks of the other loop that are still installed. */
  readonly hooks?: readonly OldHook[];
  /** What stays where it is, for people to keep or to delete. */
  readonly left?: readonly string[];
  readonly written: readonly string[];
  readonly backups: readonly string[];
}

/** One refusal for all problems of a file: one of them is said in one line. @throws always */
export function refuse(file: string, problems: readonly Problem[]): never {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [only, second] = errors;
  if (only !== undefined && second === undefined) {
    throw new UsageError({
      what: inOneLine(only),
      why: 'nothing can be imported from it as it is',
      mend: [only.mend],
    });
  }
  throw new FileProblemsError({ what: `${file} cannot be imported: ${errors.length} errors` }, errors);
}

/** `file:line:column: what is wrong`, as editors take it; the column where the problem has one. */
function inOneLine({ file, line, message }: Problem): string {
  const column = / at column (\d+)/.exec(message);
  const said = (column === null ? message : message.replace(column[0], '')).replace(/\.$/, '');
  return `${file}:${line}:${column === null ? '' : `${column[1]}:`} ${said}`;
}

/** The document that `--json` prints instead of a result. */
export function refusal(error: RalphError): Record<string, unknown> {
  const problems = error instanceof FileProblemsError ? { problems: error.problems } : {};
  return { stories: 0, done: 0, format: null, warnings: [], error: { ...error.facts, ...problems } };
}
