import { resolve } from 'node:path';
import { RalphError, UsageError } from '../contracts/index.ts';
import { realPath, stat } from '../platform/index.ts';
import { issuesOfAddress, readIssueSource } from '../rules/import/index.ts';
import { shellWord } from '../rules/text/index.ts';
import { type Io, paintFor } from '../surfaces/terminal/index.ts';
import { type Imported, type ImportRequest, refusal, renderImport } from './import/outcome.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { configOf, openProject } from './shared/open.ts';
import { printJson, printLines } from './shared/print.ts';
import { refuseInsideAgent } from './shared/refuse-inside-agent.ts';

export async function importBacklog(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const dryRun = isOn(flags, 'dryRun');
  const request: ImportRequest = {
    source: args[0] ?? '',
    chosen: args[1] ?? null,
    dryRun,
    repair: isOn(flags, 'repair'),
    force: isOn(flags, 'force'),
    flags,
    io,
  };
  const asJson = isOn(flags, 'json');
  try {
    // Every caller, agents included, may do a dry run.
    if (!dryRun) refuseInsideAgent('import', io.env);
    const imported = await importSource(request);
    if (asJson) printJson(io, imported);
    else printLines(io, renderImport(request, imported, paintFor(io)));
    return 0;
  } catch (error) {
    // With `--json` every outcome prints a document; the message for people goes to standard error as always.
    if (asJson && error instanceof RalphError) printJson(io, refusal(error));
    throw error;
  }
}

async function importSource(request: ImportRequest): Promise<Imported> {
  const { source, io } = request;
  const issues = readIssueSource(source);
  if (issues !== null) {
    refuseChoice(request);
    return (await import('./import/import-issues.ts')).importIssues(request, issues);
  }
  const path = await realPath(resolve(io.cwd, source)).catch(() => null);
  const found = path === null ? null : await stat(path);
  if (path === null || found === null) {
    const imported = /^[a-z][a-z0-9-]*:(?!\/\/)/.test(source) ? await importByPlugin(request) : null;
    if (imported !== null) return imported;
    throw nothingThere(source, io.cwd);
  }
  if (found.kind === 'dir') return (await import('./import/import-folder.ts')).importFolder(request, path);
  refuseChoice(request);
  return (await import('./import/backlog.ts')).importFile(request, path);
}

/** Issues of a tracker that a plugin of the configuration knows; null when none does. */
async function importByPlugin(request: ImportRequest): Promise<Imported | null> {
  const { source, flags, io } = request;
  const git = await openProject(flags, io);
  const { config } = await configOf(git, io);
  if (config.plugins.length === 0) return null;
  refuseChoice(request);
  const { issuesByPlugin } = await import('./plugins.ts');
  const issues = await issuesByPlugin(git.repo, config, io, source);
  if (issues === null) return null;
  const { addIssues } = await import('./import/import-issues.ts');
  return addIssues(
    request,
    issues.map((issue) => ({ ...issue, milestone: null })),
    { format: 'plugin', isCut: false },
  );
}

function refuseChoice({ source, chosen }: ImportRequest): void {
  if (chosen === null) return;
  throw new UsageError({
    what: `${source} is not a folder, so there is no file to choose`,
    fix: [`ralph import ${shellWord(source)}`, 'or name a folder first: ralph import FOLDER FILE'],
  });
}

function nothingThere(source: string, cwd: string): UsageError {
  const issues = issuesOfAddress(source);
  if (issues !== null) {
    return new UsageError({
      what: `${source} is an address`,
      fix: [`name the issues: ralph import ${shellWord(issues)}`],
    });
  }
  return new UsageError({
    what: `there is no file ${source}`,
    where: cwd,
    fix: ['name a file, a folder of another loop, or issues: gh:OWNER/REPO#LABEL'],
  });
}
