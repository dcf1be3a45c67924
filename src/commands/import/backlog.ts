import { posix, relative } from 'node:path';
import { MOST_BACKLOG_BYTES } from '../../adapters/workspace/index.ts';
import { messageOf, UsageError } from '../../contracts/index.ts';
import { readBytes, realPath } from '../../platform/index.ts';
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
import { branchFor, type ImportTarget, prepareTarget, writeImport } from './target.ts';

/** Reads a backlog, and the review state beside it. @param path absolute @throws UsageError, FileProblemsError */
export async function readBacklog(path: string, file: string, repair: boolean): Promise<Understood> {
  refuseOtherForms(file);
  const bytes = await readBytes(path);
  if (bytes === null) throw new UsageError({ what: `${file} is not a plain file`, fix: ['name a file or a folder'] });
  if (bytes.length > MOST_BACKLOG_BYTES) {
    throw new UsageError({ what: `${file} is larger than ${MOST_BACKLOG_BYTES / 1024 / 1024} MB`, fix: ['split it'] });
  }
  const beside = await readBytes(posix.join(posix.dirname(path), 'reviews.json'));
  const reviews = beside === null ? null : { file: 'reviews.json', bytes: beside };
  const tags = /(?:^|\/)\.taskmaster\/tasks\/[^/]+$/.exec(path) ? posix.join(path, '../../state.json') : null;
  const state = tags === null ? null : await readBytes(tags);
  const plain = /\.ya?ml$/i.test(file) ? await yamlAsJson(bytes, file) : bytes;
  const understood = understand({ file, bytes: plain, reviews, state, repair });
  if ('problems' in understood) refuse(file, understood.problems);
  if (understood.stories.length > 0) return understood;
  throw new UsageError({
    what: `${file} has no stories`,
    why: 'nothing can be imported from it',
    fix: ['add stories with `ralph stories add`, or let `ralph plan` write them'],
  });
}

async function yamlAsJson(bytes: Uint8Array, file: string): Promise<Uint8Array> {
  const { parse } = await import('yaml');
  try {
    return Buffer.from(JSON.stringify(parse(Buffer.from(bytes).toString('utf8'))) ?? '');
  } catch (error) {
    throw new UsageError({ what: `${file} is not valid YAML: ${messageOf(error)}`, fix: ['correct it there'] });
  }
}

/** Forms that do not hold stories directly, by the ending of a file name. */
const OTHER_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\.toml$/i, 'TOML'],
  [/\.xlsx$/i, 'a table (Excel)'],
  [/\.xml$/i, 'XML'],
  [/\.html?$/i, 'HTML'],
  [/\.pdf$/i, 'PDF'],
  [/\.docx$/i, 'a Word document'],
  [/\.odt$/i, 'a text document'],
];

function refuseOtherForms(file: string): void {
  const form = OTHER_FORMS.find(([ending]) => ending.test(file))?.[1];
  if (form === undefined) return;
  throw new UsageError({
    what: `${file} is ${form}`,
    why: 'stories are read from Markdown with check boxes, JSON, YAML and tables (CSV)',
    fix: [
      'convert it to JSON or Markdown, then import that',
      `or have stories written from it: ralph plan --from ${shellWord(file)}`,
    ],
  });
}

function reportOf(
  { stories, format, shape, warnings }: Understood,
  file: string,
): Omit<Imported, 'written' | 'backups'> {
  if (format === 'prompt') throw new Error('a prompt is not a backlog');
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

export interface Source {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly understood: Understood;
}

/** What an import brings besides the backlog: the other files of a loop's folder. */
interface Companions {
  readonly report: Pick<Imported, 'settings' | 'hooks' | 'left'>;
  readonly warningsBefore: readonly string[];
  readonly warningsAfter: readonly string[];
  files(target: ImportTarget, root: string): Promise<CompanionFiles>;
}

interface CompanionFiles {
  readonly prose: readonly { readonly name: string; readonly text: string }[];
  /** Other files, by path relative to the root. */
  readonly beside: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** Stands in for a project where nothing is written. */
const NOWHERE: NativeDefaults = { schema: null, project: 'project', branchName: 'ralph/project', verifyCommands: [] };

/** The native form, which must be valid. @throws UsageError, FileProblemsError */
function nativeOf(understood: Understood, file: string, defaults = NOWHERE): NativeBacklog {
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

/** Imports a backlog that was read, with what comes along. @throws UsageError, FileProblemsError, LockedError */
export async function importSource(
  request: ImportRequest,
  { path, name, understood }: Source,
  companions?: Companions,
): Promise<Imported> {
  const native = nativeOf(understood, name);
  const report = { ...reportOf(understood, name), ...companions?.report };
  const { warningsBefore = [], warningsAfter = [] } = companions ?? {};
  const warnings = [...warningsBefore, ...report.warnings, ...warningsAfter, ...native.warnings];
  if (request.dryRun) return { ...report, warnings, written: [], backups: [] };
  return atTarget(request, async (target, root) => {
    const more = await companions?.files(target, root);
    const branchName = branchFor(target, understood.document.backlog.project);
    const { text, prose } = nativeOf(understood, name, { ...target, branchName });
    const around = prose === null ? [] : [{ name: proseName(path), text: prose }];
    const made = await writeImport(
      target,
      { tasks: text, prose: [...around, ...(more?.prose ?? [])], beside: more?.beside ?? {} },
      {
        force: request.force,
        repair: request.repair,
        source: relative(target.root, await realPath(path)),
      },
    );
    return { ...report, warnings: [...(more?.warnings ?? []), ...warnings], ...made };
  });
}

/** `plan.md` → `plan.imported.md`; never a file name with a meaning in a spec folder. */
function proseName(path: string): string {
  const file = path.split('/').at(-1) ?? 'plan';
  return `${file.replace(/\.[^.]*$/, '').replace(/[^\w@-]+/g, '-')}.imported.md`;
}

/** Imports one file of stories. @param path absolute */
export async function importFile(request: ImportRequest, path: string): Promise<Imported> {
  const name = request.source;
  return importSource(request, { path, name, understood: await readBacklog(path, name, request.repair) });
}
