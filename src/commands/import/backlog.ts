import { posix, relative } from 'node:path';
import {
  branchFor,
  type ImportTarget,
  MOST_BACKLOG_BYTES,
  prepareTarget,
  writeImport,
} from '../../adapters/workspace/index.ts';
import { UsageError } from '../../contracts/index.ts';
import { readBytes, realPath, systemClock } from '../../platform/index.ts';
import { storyState } from '../../rules/backlog/index.ts';
import {
  type NativeBacklog,
  type NativeDefaults,
  toNative,
  type Understood,
  understand,
} from '../../rules/import/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { placeOf } from '../shared/flags.ts';
import { openProject, withRunLock } from '../shared/open.ts';
import { type Imported, type ImportRequest, refuse } from './outcome.ts';

/**
 * Reads a backlog, and the review state beside it.
 * @param path absolute
 * @param file as messages name it
 * @throws UsageError, FileProblemsError with file, line and fix
 */
export async function readBacklog(path: string, file: string, repair: boolean): Promise<Understood> {
  refuseOtherForms(file);
  const bytes = await readBytes(path);
  if (bytes === null) throw new UsageError({ what: `${file} is no plain file`, mend: ['name a file or a folder'] });
  if (bytes.length > MOST_BACKLOG_BYTES) {
    throw new UsageError({ what: `${file} is larger than ${MOST_BACKLOG_BYTES / 1024 / 1024} MB`, mend: ['split it'] });
  }
  const beside = await readBytes(posix.join(posix.dirname(path), 'reviews.json'));
  const reviews = beside === null ? null : { file: 'reviews.json', bytes: beside };
  const understood = understand({ file, bytes, reviews, repair });
  if ('problems' in understood) refuse(file, understood.problems);
  if (understood.stories.length > 0) return understood;
  throw new UsageError({
    what: `${file} has no stories`,
    why: 'nothing can be imported from it',
    mend: ['add stories with `ralph stories add`, or let `ralph plan` write them'],
  });
}

/** File name endings of forms that do not hold stories directly. */
const OTHER_FORMS: Readonly<Record<string, string>> = {
  yaml: 'YAML',
  yml: 'YAML',
  toml: 'TOML',
  csv: 'a table (CSV)',
  tsv: 'a table (TSV)',
  xlsx: 'a table (Excel)',
  xml: 'XML',
  html: 'HTML',
  htm: 'HTML',
  pdf: 'PDF',
  docx: 'a Word document',
  odt: 'a text document',
};

function refuseOtherForms(file: string): void {
  const form = OTHER_FORMS[posix.extname(file).slice(1).toLowerCase()];
  if (form === undefined) return;
  throw new UsageError({
    what: `${file} is ${form}`,
    why: 'stories are read from JSON, lines of JSON, and Markdown with check boxes',
    mend: [
      'convert it to JSON or Markdown, then import that',
      `or let stories be written from it: ralph plan --from ${shellWord(file)}`,
    ],
  });
}

/** What was read, in report form. @param file as messages name it */
export function reportOf(
  { stories, format, shape, warnings }: Understood,
  file: string,
): Omit<Imported, 'written' | 'backups'> {
  if (format === 'prompt') throw new Error('a prompt is no backlog to import');
  return {
    file,
    stories: stories.length,
    done: stories.filter(({ story }) => story.passes).length,
    format,
    warnings,
    shape,
    items: stories.map(({ story }) => ({
      id: story.id,
      title: story.title,
      state: storyState(story),
      priority: story.priority,
      dependsOn: story.dependsOn,
    })),
  };
}

/** What an import writes besides the backlog: the files of another loop's folder. */
export interface Companions {
  prose(target: ImportTarget): readonly { readonly name: string; readonly text: string }[];
  /** Other files, by path relative to the root. */
  beside(target: ImportTarget): Promise<Readonly<Record<string, string>>>;
}

/** Stands in for a project where nothing is written. */
const NOWHERE: NativeDefaults = { schema: null, project: 'project', branchName: 'ralph/project', verifyCommands: [] };

/** The native form, which must be valid. @throws UsageError, FileProblemsError */
export function nativeOf(understood: Understood, file: string, defaults = NOWHERE): NativeBacklog {
  const native = toNative(understood, defaults, file);
  if ('problems' in native) refuse(file, native.problems);
  return native;
}

/** The import target, locked against runs while `task` writes there. @throws LockedError, UsageError */
export async function atTarget<T>(
  { flags, io }: ImportRequest,
  task: (target: ImportTarget, root: string) => Promise<T>,
): Promise<T> {
  const git = await openProject(flags, io);
  const { root, stateDir } = git.repo;
  return withRunLock(stateDir, 'ralph import', async () => {
    const target = await prepareTarget({ root, cwd: io.cwd, flags: placeOf(flags), env: io.env });
    return task(target, root);
  });
}

/**
 * Writes the native backlog and its companions.
 * @param path of the source, absolute
 * @param name of the source, as messages show it
 */
export async function writeNative(
  request: ImportRequest,
  target: ImportTarget,
  {
    path,
    name,
    understood,
    companions,
  }: { path: string; name: string; understood: Understood; companions: Companions },
): Promise<{ readonly written: readonly string[]; readonly backups: readonly string[] }> {
  const branchName = branchFor(target, understood.document.backlog.project);
  const native = nativeOf(understood, name, { ...target, branchName });
  const around = native.prose === null ? [] : [{ name: proseName(path), text: native.prose }];
  const prose = [...around, ...companions.prose(target)];
  return writeImport(
    target,
    { tasks: native.text, prose, beside: await companions.beside(target) },
    {
      force: request.force,
      repair: request.repair,
      source: relative(target.root, await realPath(path)),
      stamp: stampNow(),
    },
  );
}

/** `plan.md` → `plan.imported.md`; never a file name with a meaning in a spec folder. */
function proseName(path: string): string {
  const file = path.split('/').at(-1) ?? 'plan';
  return `${file.replace(/\.[^.]*$/, '').replace(/[^\w@-]+/g, '-')}.imported.md`;
}

/** Part of the name of a backup: the current time, to the second. */
export function stampNow(): string {
  return new Date(systemClock.now()).toISOString().replace(/[-:]|\.\d+Z$/g, '');
}

/** Imports one file of stories. @param path absolute */
export async function importFile(request: ImportRequest, path: string): Promise<Imported> {
  const understood = await readBacklog(path, request.source, request.repair);
  const native = nativeOf(understood, request.source);
  const report = reportOf(understood, request.source);
  const warnings = [...report.warnings, ...native.warnings];
  if (request.dryRun) return { ...report, warnings, written: [], backups: [] };
  const companions = { prose: () => [], beside: async () => ({}) };
  const made = await atTarget(request, (target) =>
    writeNative(request, target, { path, name: request.source, understood, companions }),
  );
  return { ...report, warnings, ...made };
}
