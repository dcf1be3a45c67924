import { readDocument } from '../adapters/workspace/document.ts';
import { ExitCode, type Problem } from '../contracts/model.ts';
import { validateBacklog } from '../rules/backlog/validate.ts';
import { counted } from '../surfaces/terminal/format.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../surfaces/terminal/paint.ts';
import { oneLine } from '../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from './flags.ts';
import { openWorkspace } from './open.ts';
import { printJson, printLines } from './print.ts';

interface Validation {
  readonly file: string;
  /** Could a run start with it? */
  readonly ok: boolean;
  readonly stories: number;
  readonly problems: readonly Problem[];
}

/** `ralph validate` */
export async function validate(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { workspace } = await openWorkspace(flags, io);
  const { document, problems } = await readDocument(workspace);
  const all = document === null ? problems : [...problems, ...validateBacklog(document)];
  const validation: Validation = {
    file: workspace.backlog?.path ?? workspace.specDir,
    ok: all.every((problem) => problem.severity !== 'error'),
    stories: document?.backlog.stories.length ?? 0,
    problems: all,
  };
  if (isOn(flags, 'json')) printJson(io, validation);
  else printLines(io, renderValidation(validation, paintFor(io)));
  return validation.ok ? ExitCode.complete : ExitCode.usage;
}

/** Every problem as `file:line: severity: message` with its mend, then one closing line. Pure. */
export function renderValidation({ file, ok, stories, problems }: Validation, paint: Paint): readonly string[] {
  const lines = problems.flatMap((problem) => [
    `${paint('strong', `${problem.file}:${problem.line}`)}: ${paint(problem.severity === 'error' ? 'bad' : 'warn', problem.severity)}: ${oneLine(problem.message)} ${paint('dim', `[${problem.rule}]`)}`,
    `    mend: ${oneLine(problem.mend)}`,
  ]);
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const counts = `${counted(errors, 'error')}, ${counted(problems.length - errors, 'warning')}`;
  return [
    ...lines,
    ok
      ? `${paint('good', '✓')} ${file}: ${counted(stories, 'story', 'stories')}, ${counts}`
      : `${paint('bad', '✗')} ${file}: ${counts}`,
  ];
}
