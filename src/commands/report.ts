import { basename } from 'node:path';
import type { Git } from '../adapters/git/index.ts';
import { readArchives, readMarker } from '../adapters/workspace/index.ts';
import { UsageError } from '../contracts/index.ts';
import { systemClock } from '../platform/index.ts';
import type { RunView } from '../rules/view/index.ts';
import { FORMATS, type ReportExtra, reportData } from '../surfaces/report/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { version } from '../version.ts';
import { allRuns, chosenRun } from './shared/chosen-run.ts';
import { choiceOf, isOn, type RawFlags, textOf } from './shared/flags.ts';
import { openProject } from './shared/open.ts';
import { writeResult } from './shared/print.ts';

export async function report([wanted]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const format = choiceOf(flags, 'format', ['html', 'md', 'json']) ?? 'html';
  const output = textOf(flags, 'output');
  const git = await openProject(flags, io);
  const views = await viewsOf(git.repo.root, wanted, isOn(flags, 'all'));
  const text = FORMATS[format](reportData(views, await extraOf(git, views)));
  const file = output ?? (format === 'html' && io.isTTY ? nameOf(views) : '-');
  await writeResult(file, text, 'the report', io);
  return 0;
}

async function viewsOf(root: string, wanted: string | undefined, all: boolean): Promise<readonly RunView[]> {
  if (all && wanted !== undefined)
    throw new UsageError({ what: `--all reports on every run, not only on '${wanted}'` });
  const one = all ? null : await chosenRun(root, wanted);
  const views = one === null ? await allRuns(root) : [one];
  if (views.length > 0) return views;
  throw new UsageError({ what: 'there is no run to report on', fix: ['start one with: ralph run'] });
}

async function extraOf(git: Git, views: readonly RunView[]): Promise<ReportExtra> {
  const { root } = git.repo;
  const archives = views.length > 1 ? readArchives(git.repo.stateDir).catch(() => []) : [];
  const [rescues, marker] = await Promise.all([git.rescues(), readMarker(root)]);
  return {
    project: basename(root),
    generatedAt: systemClock.now(),
    version,
    rescues,
    archives: await archives,
    live: marker?.live === true && marker.marker.run === views.at(-1)?.run,
  };
}

function nameOf(views: readonly RunView[]): string {
  return views.length === 1 ? `ralph-report-${views[0]?.run}.html` : 'ralph-report.html';
}
