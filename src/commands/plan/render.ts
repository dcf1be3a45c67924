import { counted } from '../../surfaces/terminal/format.ts';
import type { Paint } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import type { Validation } from './validation.ts';

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

/** Remarks on the plan, story by story; nothing where none were asked for. Pure. */
export function renderRemarks({ file, remarks, ok, stories }: Validation, paint: Paint): readonly string[] {
  if (remarks === undefined || (!ok && remarks.length === 0)) return [];
  if (stories === 0 && remarks.length === 0) return ['', 'the plan: there is nothing to judge yet'];
  if (remarks.length === 0) return ['', `${paint('good', '✓')} the plan: nothing to remark`];
  const subjects = [...new Set(remarks.map(({ story }) => story))];
  return [
    '',
    `The plan: ${counted(remarks.length, 'remark')}. A remark keeps no run from starting; you may know better.`,
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
