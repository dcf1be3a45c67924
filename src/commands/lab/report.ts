import { basename, dirname, relative, resolve } from 'node:path';
import type { Git } from '../../adapters/git/index.ts';
import { UsageError } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { type ArmFigures, type Comparison, compare, intervalText, solvedText } from '../../rules/lab/index.ts';
import { counted, dollars, elapsed, oneLine } from '../../rules/text/index.ts';
import { labPage, renderHtml, renderMarkdown } from '../../surfaces/report/index.ts';
import { type Column, type Io, paintFor, renderColumns } from '../../surfaces/terminal/index.ts';
import { version } from '../../version.ts';
import { isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines, widthOf, writeResult } from '../shared/print.ts';

/** `ralph lab report`: the page and its Markdown beside the results, or one of them where `--output` says. */
export async function labReport(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const { folder, lab } = await readLab(git, io);
  const extra = { project: basename(git.repo.root), generatedAt: systemClock.now(), ralph: version };
  const output = textOf(flags, 'output');
  if (isOn(flags, 'json')) printJson(io, { version: 1, ...extra, folder, ...lab });
  else if (output === undefined) {
    printLines(io, [...armLines(lab, io), '']);
    for (const name of ['report.html', 'report.md']) await write(`${folder}/${name}`);
  } else await write(output);
  return 0;

  async function write(file: string): Promise<void> {
    const from = file === '-' ? io.cwd : dirname(resolve(io.cwd, file));
    const page = labPage(lab, extra, (attempt) => relative(from, `${folder}/${attempt}`));
    await writeResult(file, file.endsWith('.md') ? renderMarkdown(page) : renderHtml(page), 'the report', io);
  }
}

/** What the lab of a repository came to. @throws UsageError when nothing was tried yet */
export async function readLab(git: Git, io: Io): Promise<{ readonly folder: string; readonly lab: Comparison }> {
  const { labFolder, readResults, readTasks } = await import('../../lab/store.ts');
  const folder = labFolder(git);
  const [{ tasks, dropped }, { results, unreadable }] = await Promise.all([readTasks(folder), readResults(folder)]);
  if (unreadable > 0) io.stderr.write(`warning: ${counted(unreadable, 'result')} of the lab cannot be read\n`);
  if (results.length > 0) return { folder, lab: compare(tasks, results, dropped) };
  throw new UsageError({
    what: 'the lab of this repository has no results yet',
    fix: [tasks.length === 0 ? '`ralph lab mine` finds tasks' : '`ralph lab run` tries the tasks'],
  });
}

const COLUMNS: readonly Column<ArmFigures>[] = [
  { title: 'arm', text: ({ arm }) => oneLine(arm.name), flexible: true },
  { title: 'solved', text: solvedText, align: 'right' },
  { title: '95 %', text: ({ interval }) => intervalText(interval), align: 'right' },
  { title: 'per solved', text: ({ costPerSolved }) => dollars(costPerSolved), align: 'right' },
  { title: 'errors', text: ({ errors }) => (errors === 0 ? '-' : String(errors)), align: 'right' },
  { title: 'time', text: ({ seconds }) => elapsed(1000 * seconds), align: 'right' },
  { title: 'front', text: ({ front }) => (front ? 'yes' : ''), tone: () => 'good' },
];

export function armLines({ arms }: Comparison, io: Io): readonly string[] {
  return renderColumns(COLUMNS, arms, widthOf(io), paintFor(io));
}
