import { readDocument, type Workspace } from '../adapters/workspace/index.ts';
import { ExitCode, type Problem } from '../contracts/index.ts';
import { readInside } from '../platform/index.ts';
import { validateBacklog } from '../rules/backlog/index.ts';
import type { PlanRemark } from '../rules/plan-lint/index.ts';
import { counted, oneLine } from '../rules/text/index.ts';
import { type Io, type Paint, paintFor } from '../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { configOf, openWorkspace } from './shared/open.ts';
import { printResult } from './shared/print.ts';

export async function validate(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, workspace } = await openWorkspace(flags, io);
  const validation = isOn(flags, 'plan')
    ? await validatePlan(workspace, (await configOf(git, io)).config.verifyCommands)
    : (await readAndJudge(workspace)).validation;
  const paint = paintFor(io);
  printResult(io, flags, validation, [...renderValidation(validation, paint), ...renderRemarks(validation, paint)]);
  return validation.ok ? ExitCode.complete : ExitCode.usage;
}

/** What is wrong with a backlog, as `ralph validate` prints it. */
export interface Validation {
  readonly file: string;
  /** Could a run start with it? */
  readonly ok: boolean;
  readonly stories: number;
  readonly problems: readonly Problem[];
  readonly remarks?: readonly PlanRemark[];
}

/** People do not read a longer PRD. */
const MOST_PRD_BYTES = 1024 * 1024;

/** The backlog of a workspace, with remarks on its plan; an unreadable backlog gets none. @param configured checks of the settings */
export async function validatePlan(workspace: Workspace, configured: readonly string[]): Promise<Validation> {
  const { document, validation } = await readAndJudge(workspace);
  if (document === null) return { ...validation, remarks: [] };
  const [{ lintPlan }, { detectChecks }] = await Promise.all([
    import('../rules/plan-lint/lint.ts'),
    import('../adapters/workspace/config/detect-checks.ts'),
  ]);
  const [detected, prd] = await Promise.all([detectChecks(workspace.root), readPrd(workspace)]);
  return { ...validation, remarks: lintPlan(document.backlog, { configured, detected, prd }) };
}

/** Text of the PRD; null when none can be read. */
export async function readPrd({ root, prdPath }: Workspace): Promise<string | null> {
  const { bytes } = await readInside(root, prdPath, MOST_PRD_BYTES);
  return bytes?.toString('utf8') ?? null;
}

async function readAndJudge(workspace: Workspace) {
  const { document, problems } = await readDocument(workspace);
  const all = document === null ? problems : [...problems, ...validateBacklog(document)];
  const validation: Validation = {
    file: workspace.backlog?.path ?? workspace.specDir,
    ok: all.every((problem) => problem.severity !== 'error'),
    stories: document?.backlog.stories.length ?? 0,
    problems: all,
  };
  return { document, validation };
}

/** Every problem as `file:line: severity: message` with its fix, then one closing line. Pure. */
export function renderValidation({ file, ok, stories, problems }: Validation, paint: Paint): readonly string[] {
  const lines = problems.flatMap((problem) => [
    `${paint('strong', `${problem.file}:${problem.line}`)}: ${paint(problem.severity === 'error' ? 'bad' : 'warn', problem.severity)}: ${oneLine(problem.message)} ${paint('dim', `[${problem.rule}]`)}`,
    `    fix: ${oneLine(problem.fix)}`,
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

/** Remarks on the plan, story by story; empty where none were requested. Pure. */
export function renderRemarks({ file, remarks, ok, stories }: Validation, paint: Paint): readonly string[] {
  if (remarks === undefined || (!ok && remarks.length === 0)) return [];
  if (stories === 0 && remarks.length === 0) return ['', 'the plan: nothing to check yet'];
  if (remarks.length === 0) return ['', `${paint('good', '✓')} the plan: no remarks`];
  const subjects = [...new Set(remarks.map(({ story }) => story))];
  return [
    '',
    `The plan: ${counted(remarks.length, 'remark')}. Remarks do not prevent a run.`,
    ...subjects.flatMap((subject) => [
      '',
      ...remarks
        .filter(({ story }) => story === subject)
        .flatMap(({ line, severity, message, rule, story, suggestion }) => [
          `${paint('strong', `${file}:${line}`)}: ${paint(severity === 'warning' ? 'warn' : 'dim', severity)}: ${oneLine(`${story === null ? '' : `${story}: `}${message}`)} ${paint('dim', `[${rule}]`)}`,
          `    better: ${oneLine(suggestion)}`,
        ]),
    ]),
  ];
}
