import { posix, relative, resolve } from 'node:path';
import {
  addSettings,
  findOldBacklogs,
  findOldHooks,
  type ImportTarget,
  type OldBacklog,
  type OldFile,
  type OldLayout,
  readFolderAlone,
  readOldLayout,
  readProgress,
} from '../../adapters/workspace/index.ts';
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
import { shellWord } from '../../rules/text/index.ts';
import { atTarget, type Companions, nativeOf, readBacklog, reportOf, writeNative } from './backlog.ts';
import type { Imported, ImportRequest } from './outcome.ts';

/** Imports the folder of another loop or planning tool: stories, prompt, progress, settings. @param path absolute */
export async function importFolder(request: ImportRequest, path: string): Promise<Imported> {
  const backlogs = await findOldBacklogs(path);
  if (backlogs.length === 0) throw noBacklog(request.source, await readFolderAlone(path));
  const { backlog, path: file, name, understood, warnings: others } = await chooseBacklog(request, backlogs);
  const layout = await readOldLayout(backlog);
  const native = nativeOf(understood, name);
  const [{ moves, warnings: unread }, hooks] = await Promise.all([
    readOldSettings(layout.files.settings),
    findOldHooks(layout.base),
  ]);
  const report = { ...reportOf(understood, name), settings: moves, hooks, left: layout.left };
  const warnings = [...others, ...report.warnings, ...unread, ...promptNotes(layout), ...native.warnings];
  if (request.dryRun) return { ...report, warnings, written: [], backups: [] };
  return atTarget(request, async (target, root) => {
    const settings = await addSettings(root, settingsOf(moves));
    const ours = companionsOf(layout);
    const companions: Companions = {
      ...ours,
      beside: async (at) => ({
        ...(await ours.beside(at)),
        ...(settings.text === null ? {} : { [settings.file]: settings.text }),
      }),
    };
    const made = await writeNative(request, target, { path: file, name, understood, companions });
    return { ...report, warnings: [...settings.left, ...warnings], ...made };
  });
}

function companionsOf({ base, files, specs }: OldLayout): Companions {
  return {
    prose: (target) =>
      files.prd
        .filter(({ path }) => !isIn(target, resolve(base, path)))
        .slice(0, 1)
        .map(({ text }) => ({ name: 'prd.imported.md', text })),
    beside: async (target) => {
      // Files in the spec folder are in their place already.
      const foreign = ({ path }: OldFile) => !isIn(target, resolve(base, path));
      const progress = files.progress.filter(foreign)[0]?.text ?? null;
      const patterns = files.patterns.filter(foreign).map(({ path, text }) => ({ file: path, text }));
      const log = importProgress(await readProgress(target), progress, patterns);
      const documents = await Promise.all(specs.filter(foreign).map((document) => besideSpec(target, document)));
      return {
        ...(progress === null && patterns.length === 0 ? {} : { [target.progressPath]: log }),
        ...Object.fromEntries(
          promptsOf(files.prompt.filter(foreign)).map(([name, { text }]) => [posix.join(target.specDir, name), text]),
        ),
        ...Object.fromEntries(documents.flat()),
      };
    },
  };
}

async function besideSpec({ root, specDir }: ImportTarget, { path, text }: OldFile): Promise<[string, string][]> {
  const wanted = posix.join(specDir, 'specs', posix.basename(path));
  return (await exists(posix.join(root, wanted))) ? [] : [[wanted, text]];
}

function isIn({ root, specDir }: ImportTarget, path: string): boolean {
  return posix.dirname(path) === posix.join(root, specDir);
}

/**
 * The names under which older prompts are kept: the most certain one becomes the prompt, the others keep their names.
 */
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
    `kept and not used: ${kept.join(', ')}; what the agent must know of it belongs in prompt.md, the rules of the loop are there already`,
  ];
}

function noBacklog(source: string, { files }: OldLayout): UsageError {
  const prompt = files.prompt[0]?.path;
  return new UsageError({
    what: `${source} has no backlog`,
    why: `looked for ${PARTS.backlog.join(', ')}`,
    mend: [
      'name the file: ralph import FILE',
      ...(prompt === undefined
        ? []
        : [`${prompt} alone needs no import: a lone PROMPT.md is worked on without stories`]),
    ],
  });
}

/** The backlog of a folder that is imported. */
interface Choice {
  readonly backlog: OldBacklog;
  /** Absolute. */
  readonly path: string;
  /** As messages name it. */
  readonly name: string;
  readonly understood: Understood;
  /** What happens to the others. */
  readonly warnings: readonly string[];
}

interface Candidate {
  readonly backlog: OldBacklog;
  readonly path: string;
  readonly name: string;
  readonly understood: Understood | null;
  readonly error: RalphError | null;
}

/**
 * Chooses between the backlogs of a folder: the named one, the only one, or the only one with open stories.
 * @throws UsageError listing all of them with their counts when it would be a guess
 */
async function chooseBacklog(request: ImportRequest, backlogs: readonly OldBacklog[]): Promise<Choice> {
  const named = request.chosen === null ? backlogs : await theNamed(request, backlogs, request.chosen);
  const candidates = await Promise.all(named.map((backlog) => candidateOf(request, backlog)));
  const readable = candidates.filter(({ understood }) => understood !== null);
  const open = readable.filter((each) => openIn(each) > 0);
  const only = open.length === 0 ? readable : open;
  const [first, second] = only.length === 0 ? candidates : only;
  if (first === undefined || second !== undefined) throw several(request, candidates);
  if (first.understood === null) throw first.error ?? several(request, candidates);
  const { backlog, path, name, understood } = first;
  const others = candidates.filter((each) => each !== first);
  const warnings = others.map((each) => `${each.name} was left: ${inWords(each)}; the stories come from ${name}`);
  return { backlog, path, name, understood, warnings };
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
    what: `${chosen} is no backlog of ${source}`,
    why: `it has ${backlogs.map((each) => nameOf(io.cwd, each)).join(', ')}`,
    mend: [`import it by itself: ralph import ${shellWord(chosen)}`],
  });
}

async function candidateOf({ io, repair }: ImportRequest, backlog: OldBacklog): Promise<Candidate> {
  const path = resolve(backlog.base, backlog.path);
  const name = nameOf(io.cwd, backlog);
  try {
    return { backlog, path, name, understood: await readBacklog(path, name, repair), error: null };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { backlog, path, name, understood: null, error };
  }
}

function nameOf(cwd: string, { base, path }: OldBacklog): string {
  return relative(cwd, resolve(base, path)) || path;
}

function openIn({ understood }: Candidate): number {
  return understood?.stories.filter(({ story }) => !story.passes).length ?? 0;
}

function inWords(candidate: Candidate): string {
  const { understood } = candidate;
  if (understood === null) return 'no stories can be read from it';
  const open = openIn(candidate);
  const stories = understood.stories.length;
  return `${stories} ${stories === 1 ? 'story' : 'stories'}, ${open === 0 ? 'none' : open} open`;
}

function several({ source }: ImportRequest, candidates: readonly Candidate[]): UsageError {
  const shown = candidates.slice(0, 12);
  const more = candidates.length > shown.length ? [`and ${candidates.length - shown.length} more`] : [];
  const example = candidates.find((each) => openIn(each) > 0) ?? candidates[0];
  return new UsageError({
    what: `${source} has several backlogs`,
    why: [
      'it would be a guess which one is worked on:',
      ...shown.map((each) => `${each.name}: ${inWords(each)}`),
      ...more,
    ].join(`\n${' '.repeat(9)}`),
    mend: [`choose one: ralph import ${shellWord(source)} ${shellWord(example?.name ?? '')}`],
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
    for (const each of unread) warnings.push(`${path}: not taken over, a shell would have to work it out: ${each}`);
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
