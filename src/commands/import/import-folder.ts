import { posix, relative, resolve } from 'node:path';
import { RalphError, UsageError } from '../../contracts/index.ts';
import { exists, realPath } from '../../platform/index.ts';
import {
  flatten,
  importProgress,
  migrateSettings,
  PARTS,
  readAssignments,
  readToml,
  type SettingMove,
  settingsOf,
  type Understood,
} from '../../rules/import/index.ts';
import { counted, shellWord } from '../../rules/text/index.ts';
import { importSource, readBacklog, type Source } from './backlog.ts';
import {
  addSettings,
  findOldBacklogs,
  findOldHooks,
  type OldBacklog,
  type OldFile,
  type OldLayout,
  readFolderAlone,
  readOldLayout,
} from './old-layout.ts';
import type { Imported, ImportRequest } from './outcome.ts';
import { type ImportTarget, readProgress } from './target.ts';

/** Imports the folder of another loop or planning tool: stories, prompt, progress, settings. @param path absolute */
export async function importFolder(request: ImportRequest, path: string): Promise<Imported> {
  const backlogs = await findOldBacklogs(path);
  if (backlogs.length === 0) throw noBacklog(request.source, await readFolderAlone(path));
  const { backlog, source, others } = await chooseBacklog(request, backlogs);
  const layout = await readOldLayout(backlog);
  const [{ moves, warnings: unread }, hooks] = await Promise.all([
    readOldSettings(layout.files.settings),
    findOldHooks(layout.base),
  ]);
  return importSource(request, source, {
    report: { settings: moves, hooks, left: layout.left },
    warningsBefore: others,
    warningsAfter: [...unread, ...promptNotes(layout)],
    async files(target, root) {
      const settings = await addSettings(root, settingsOf(moves));
      return {
        prose: foreignTo(target, layout, layout.files.prd)
          .slice(0, 1)
          .map(({ text }) => ({ name: 'prd.imported.md', text })),
        beside: {
          ...(await filesBeside(target, layout)),
          ...(settings.text === null ? {} : { [settings.file]: settings.text }),
        },
        warnings: settings.left,
      };
    },
  });
}

/** Files in the spec folder are in their place already. */
function foreignTo({ root, specDir }: ImportTarget, { base }: OldLayout, files: readonly OldFile[]): OldFile[] {
  return files.filter(({ path }) => posix.dirname(resolve(base, path)) !== posix.join(root, specDir));
}

async function filesBeside(target: ImportTarget, layout: OldLayout): Promise<Record<string, string>> {
  const { files, specs } = layout;
  const progress = foreignTo(target, layout, files.progress)[0]?.text ?? null;
  const patterns = foreignTo(target, layout, files.patterns).map(({ path, text }) => ({ file: path, text }));
  const hasLog = progress !== null || patterns.length > 0;
  const log = hasLog ? importProgress(await readProgress(target), progress, patterns) : '';
  const prompts = promptsOf(foreignTo(target, layout, files.prompt));
  const documents = await Promise.all(foreignTo(target, layout, specs).map((document) => besideSpec(target, document)));
  return {
    ...(hasLog ? { [target.progressPath]: log } : {}),
    ...Object.fromEntries(prompts.map(([name, { text }]) => [posix.join(target.specDir, name), text])),
    ...Object.fromEntries(documents.flat()),
  };
}

async function besideSpec({ root, specDir }: ImportTarget, { path, text }: OldFile): Promise<[string, string][]> {
  const wanted = posix.join(specDir, 'specs', posix.basename(path));
  return (await exists(posix.join(root, wanted))) ? [] : [[wanted, text]];
}

/** Names for older prompts: the most certain one becomes the prompt, the others keep their names. */
function promptsOf(prompts: readonly OldFile[]): readonly (readonly [string, OldFile])[] {
  const names = new Map<string, OldFile>();
  for (const prompt of prompts) {
    const own = `${posix.basename(prompt.path).replace(/\.[^.]*$/, '')}.imported.md`;
    const name = names.size === 0 ? 'prompt.imported.md' : own;
    // On a case-insensitive file system one would replace the other.
    const isTaken = [...names.keys()].some((each) => each.toLowerCase() === name.toLowerCase());
    names.set(isTaken ? `${names.size + 1}-${name}` : name, prompt);
  }
  return [...names];
}

function promptNotes({ files }: OldLayout): readonly string[] {
  const kept = promptsOf(files.prompt).map(([name, { path }]) => `${path} (as ${name})`);
  if (kept.length === 0) return [];
  return [
    `kept but not used: ${kept.join(', ')}; add what the agent must know to prompt.md, which already has the rules of the loop`,
  ];
}

function noBacklog(source: string, { files }: OldLayout): UsageError {
  const prompt = files.prompt[0]?.path;
  return new UsageError({
    what: `${source} has no backlog`,
    why: `looked for ${PARTS.backlog.join(', ')}`,
    fix: [
      'name the file: ralph import FILE',
      ...(prompt === undefined ? [] : [`${prompt} needs no import: ralph can work on a PROMPT.md without stories`]),
    ],
  });
}

/** A backlog of a folder; `understood` is null when it cannot be read. */
interface Candidate {
  readonly backlog: OldBacklog;
  readonly source: Omit<Source, 'understood'> & { readonly understood: Understood | null };
  readonly error?: RalphError;
}

/**
 * Chooses between the backlogs of a folder: the named one, the only one, or the only one with open stories.
 * @throws UsageError listing all of them with their counts when it would be a guess
 */
async function chooseBacklog(
  request: ImportRequest,
  backlogs: readonly OldBacklog[],
): Promise<{ readonly backlog: OldBacklog; readonly source: Source; readonly others: readonly string[] }> {
  const named = request.chosen === null ? backlogs : await theNamed(request, backlogs, request.chosen);
  const candidates = await Promise.all(named.map((backlog) => candidateOf(request, backlog)));
  const readable = candidates.filter(({ source }) => source.understood !== null);
  const open = readable.filter((each) => openIn(each) > 0);
  const [first, second] = [open, readable, candidates].find((some) => some.length > 0) ?? [];
  if (first === undefined || second !== undefined) throw several(request, candidates);
  const { backlog, source, error } = first;
  if (source.understood === null) throw error;
  const others = candidates
    .filter((each) => each !== first)
    .map((each) => `${each.source.name} was not used: ${inWords(each)}; the stories come from ${source.name}`);
  return { backlog, source: { ...source, understood: source.understood }, others };
}

async function theNamed(
  { source, io }: ImportRequest,
  backlogs: readonly OldBacklog[],
  chosen: string,
): Promise<readonly OldBacklog[]> {
  const wanted = await realPath(resolve(io.cwd, chosen)).catch(() => resolve(io.cwd, chosen));
  const found = backlogs.filter(
    ({ base, path }) => [path, resolve(base, path)].includes(chosen) || resolve(base, path) === wanted,
  );
  if (found.length > 0) return found;
  throw new UsageError({
    what: `${chosen} is not a backlog in ${source}`,
    why: `it has ${backlogs.map((each) => nameOf(io.cwd, each)).join(', ')}`,
    fix: [`import it by itself: ralph import ${shellWord(chosen)}`],
  });
}

async function candidateOf({ io, repair }: ImportRequest, backlog: OldBacklog): Promise<Candidate> {
  const path = resolve(backlog.base, backlog.path);
  const name = nameOf(io.cwd, backlog);
  try {
    return { backlog, source: { path, name, understood: await readBacklog(path, name, repair) } };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { backlog, source: { path, name, understood: null }, error };
  }
}

function nameOf(cwd: string, { base, path }: OldBacklog): string {
  return relative(cwd, resolve(base, path)) || path;
}

function openIn({ source }: Candidate): number {
  return source.understood?.stories.filter(({ story }) => !story.passes).length ?? 0;
}

function inWords(candidate: Candidate): string {
  const { understood } = candidate.source;
  if (understood === null) return 'no stories can be read from it';
  return `${counted(understood.stories.length, 'story', 'stories')}, ${openIn(candidate) || 'none'} open`;
}

function several({ source }: ImportRequest, candidates: readonly Candidate[]): UsageError {
  const shown = candidates.slice(0, 12);
  const more = candidates.length > shown.length ? [`and ${candidates.length - shown.length} more`] : [];
  const example = candidates.find((each) => openIn(each) > 0) ?? candidates[0];
  return new UsageError({
    what: `${source} has several backlogs`,
    why: [
      'ralph does not guess which one to use:',
      ...shown.map((each) => `${each.source.name}: ${inWords(each)}`),
      ...more,
    ].join(`\n${' '.repeat(9)}`),
    fix: [`choose one: ralph import ${shellWord(source)} ${shellWord(example?.source.name ?? '')}`],
  });
}

/** What becomes of the settings of another loop, and which could not be read. Runs nothing. */
async function readOldSettings(
  files: readonly OldFile[],
): Promise<{ readonly moves: readonly SettingMove[]; readonly warnings: readonly string[] }> {
  const found = new Map<string, unknown>();
  const warnings: string[] = [];
  for (const { path, text } of files) {
    const { values, unread } = await valuesIn(path, text);
    for (const [name, value] of Object.entries(values)) if (!found.has(name)) found.set(name, value);
    for (const each of unread) warnings.push(`${path}: not imported, because only a shell can evaluate it: ${each}`);
  }
  return { moves: migrateSettings(Object.fromEntries(found)), warnings };
}

async function valuesIn(
  path: string,
  text: string,
): Promise<{ readonly values: Readonly<Record<string, unknown>>; readonly unread: readonly string[] }> {
  const ending = posix.extname(path);
  if (ending === '.toml') return { values: readToml(text), unread: [] };
  if (!['.json', '.yaml', '.yml'].includes(ending)) return readAssignments(text);
  // Every JSON text is also YAML.
  const { parse } = await import('yaml');
  try {
    return { values: flatten(parse(text)), unread: [] };
  } catch (error) {
    return {
      values: {},
      unread: [error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'it cannot be read'],
    };
  }
}
