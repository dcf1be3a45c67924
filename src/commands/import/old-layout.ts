import { dirname, posix, resolve } from 'node:path';
import {
  configIn,
  configText,
  findConfigFile,
  MOST_BACKLOG_BYTES,
  NEW_CONFIG_FILE,
  withSetting,
} from '../../adapters/workspace/index.ts';
import { RalphError } from '../../contracts/index.ts';
import { list, readInside, stat } from '../../platform/index.ts';
import { type Fields, isFields, lineAt, parseJson } from '../../rules/backlog/index.ts';
import { fits, LAYOUTS, type Layout, layoutOf, PARTS, type Part } from '../../rules/import/index.ts';

/** A file of an older layout. */
export interface OldFile {
  /** Relative to `base`. */
  readonly path: string;
  readonly text: string;
}

/** A file that may hold the stories of an older layout. */
export interface OldBacklog {
  /** The project, or the parent of the layout's folders; absolute. */
  readonly base: string;
  /** Relative to `base`. */
  readonly path: string;
  readonly layout: Layout;
}

/** What was found in an older layout. */
export interface OldLayout {
  readonly base: string;
  readonly files: Readonly<Record<Exclude<Part, 'backlog' | 'specs'>, readonly OldFile[]>>;
  /** Documents, relative to `base`. */
  readonly specs: readonly OldFile[];
  /** Other entries of the first folder and of the backlog's, which stay there: scripts, logs, archives. */
  readonly left: readonly string[];
}

/**
 * The files of a folder, and of related folders, that may contain stories; the most certain first. In a folder without
 * any, such as the root of a project, every known layout is searched for.
 * @param path absolute
 */
export async function findOldBacklogs(path: string): Promise<readonly OldBacklog[]> {
  const { base, layout } = placeOf(path);
  const own = await backlogsOf(base, layout);
  if (own.length > 0 || layout.ends !== '.') return own;
  const others = await forEach(LAYOUTS, (each) => backlogsOf(base, each));
  return others.filter(({ path: file }, at) => others.findIndex((other) => other.path === file) === at);
}

/** The layout of a folder when the place of its stories does not matter. @param path absolute */
export async function readFolderAlone(path: string): Promise<OldLayout> {
  const { base, layout } = placeOf(path);
  return readOldLayout({ base, layout, path: null });
}

/** The files that belong to a backlog. Links that lead out of the project are not followed. */
export async function readOldLayout({
  base,
  layout,
  path: backlog,
}: Omit<OldBacklog, 'path'> & { readonly path: string | null }): Promise<OldLayout> {
  const home = backlog === null ? null : posix.dirname(backlog);
  const folders = (await foldersOf(base, layout)).filter(({ path, isOneOf }) => !isOneOf || path === home);
  const named = (part: Part) => forEach(folders, ({ path }) => namesIn(base, path, part, layout));
  const parts = ['prompt', 'prd', 'progress', 'patterns', 'settings'] as const;
  const read = await Promise.all(parts.map(async (part) => readAll(base, await named(part))));
  const [prompt = [], prds = [], logs = [], patterns = [], settings = []] = read;
  const specs = (await named('specs')).slice(0, 1);
  // Of each of these, only the first is taken.
  const files = { prompt, prd: prds.slice(0, 1), progress: logs.slice(0, 1), patterns, settings };
  const used = [
    backlog ?? '',
    ...specs,
    ...Object.values(files)
      .flat()
      .map((file) => file.path),
  ];
  const isUsed = (path: string) => used.some((each) => each === path || each.startsWith(`${path}/`));
  return {
    base,
    left: (await besides(base, folders, home)).filter((path) => !isUsed(path)),
    files,
    specs: await readAll(base, (await forEach(specs, (folder) => pathsIn(base, folder))).filter(isDocument)),
  };
}

function placeOf(path: string): { readonly base: string; readonly layout: Layout } {
  const { layout, depth } = layoutOf(path);
  let base = resolve(path);
  for (let up = 0; up < depth; up += 1) base = dirname(base);
  return { base, layout };
}

async function backlogsOf(base: string, layout: Layout): Promise<readonly OldBacklog[]> {
  const folders = await foldersOf(base, layout);
  const paths = await forEach(folders, ({ path }) => namesIn(base, path, 'backlog', layout));
  return paths.map((path) => ({ base, path, layout }));
}

interface Folder {
  readonly path: string;
  /** It is one match of a `*`. */
  readonly isOneOf: boolean;
}

function foldersOf(base: string, { folders }: Layout): Promise<readonly Folder[]> {
  return forEach(folders, async (folder): Promise<readonly Folder[]> => {
    if (!folder.endsWith('/*')) return [{ path: folder, isOneOf: false }];
    return (await pathsIn(base, folder.slice(0, -2))).map((path) => ({ path, isOneOf: true }));
  });
}

/** The files of a folder that match a part, the most certain name first. */
async function namesIn(base: string, folder: string, part: Part, layout: Layout): Promise<readonly string[]> {
  const { not = [], ends, names: own = {} } = layout;
  const isOwn = folder.startsWith(ends);
  const names = (await list(posix.join(base, folder))).filter((name) => isOwn || !not.includes(name));
  const wanted = isOwn && ends === '.' ? names.filter((name) => !not.includes(name)) : names;
  return (own[part] ?? PARTS[part]).flatMap((pattern) =>
    wanted.filter((name) => fits(name, pattern)).map((name) => posix.join(folder, name)),
  );
}

/** Every other entry of a layout's first folder and of the backlog's; for a whole project nothing. */
async function besides(base: string, folders: readonly Folder[], home: string | null): Promise<readonly string[]> {
  const main = folders.find(({ isOneOf }) => !isOneOf)?.path;
  const own = folders.some(({ path, isOneOf }) => isOneOf && path === home) ? home : undefined;
  return forEach([...new Set([main, own])], async (folder) =>
    folder === undefined || folder === null || folder === '.' ? [] : pathsIn(base, folder),
  );
}

/** The entries of a folder, relative to `base`. */
async function pathsIn(base: string, folder: string): Promise<readonly string[]> {
  return (await list(posix.join(base, folder))).map((name) => posix.join(folder, name));
}

function isDocument(path: string): boolean {
  return path.endsWith('.md');
}

function readAll(base: string, paths: readonly string[]): Promise<readonly OldFile[]> {
  return forEach(paths, async (path) => {
    if ((await stat(posix.join(base, path)))?.kind === 'dir') return [];
    const { bytes } = await readInside(base, path, MOST_BACKLOG_BYTES);
    return bytes === null ? [] : [{ path, text: bytes.toString('utf8') }];
  });
}

/** What is found for each, all at the same time, in one list. */
async function forEach<T, R>(all: readonly T[], find: (one: T) => Promise<readonly R[]>): Promise<readonly R[]> {
  return (await Promise.all(all.map(find))).flat();
}

/** A hook of another loop in Claude Code's settings. */
export interface OldHook {
  /** The settings file, relative to the project. */
  readonly file: string;
  /** Line of the command, 1-based. */
  readonly line: number;
  readonly event: string;
  readonly command: string;
}

const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];
const OLD = /(?:^|[/\s"'])(?:\.agents\/ralph|scripts\/ralph|\.ralph|\.chief|\.ralph-tui)\/[^\s"']*/;

/** Finds hooks that point into another loop's folder. Changes nothing: the file belongs to the user. */
export async function findOldHooks(base: string): Promise<readonly OldHook[]> {
  const files = await readAll(base, SETTINGS);
  return files.flatMap(({ path, text }) => hooksIn(path, text));
}

function hooksIn(file: string, text: string): readonly OldHook[] {
  const settings = parseJson(text, file);
  const hooks = 'value' in settings ? record(settings.value)['hooks'] : null;
  return Object.entries(record(hooks)).flatMap(([event, value]) =>
    commandsIn(value)
      .filter((command) => OLD.test(command))
      .map((command) => ({ file, line: lineAt(text, text.indexOf(JSON.stringify(command))), event, command })),
  );
}

/** Every command below an event: some settings have a text there, most have nested lists. */
function commandsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return depth < 2 ? [value] : [];
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.flatMap((each) => commandsIn(each, depth + 1));
  const { command, hooks } = record(value);
  return [
    ...(typeof command === 'string' ? [command] : []),
    ...(hooks === undefined ? [] : commandsIn(hooks, depth + 1)),
  ];
}

function record(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The configuration of a project with settings of another loop added; nothing is written yet. */
interface ImportedSettings {
  /** Relative to the root. */
  readonly file: string;
  /** Null when nothing changes. */
  readonly text: string | null;
  /** Why settings were left out. */
  readonly left: readonly string[];
}

/** Adds settings that the configuration file does not contain yet. */
export async function addSettings(
  root: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<ImportedSettings> {
  const present = await findConfigFile(root);
  const file = present ?? NEW_CONFIG_FILE;
  if (!file.endsWith('.json')) {
    const names = Object.keys(settings);
    return { file, text: null, left: names.map((name) => `${name}: ${file} is code, set it there yourself`) };
  }
  const before = present === null ? null : await configText(root, file);
  let text = before;
  const left: string[] = [];
  for (const [key, value] of Object.entries(settings)) {
    if (text !== null && isSet(configIn(file, text).values, key)) {
      left.push(`${key}: ${file} already has a different value`);
      continue;
    }
    try {
      text = withSetting({ file, text, key }, typeof value === 'string' ? value : JSON.stringify(value)).text;
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      left.push(`${key}: ${error.facts.what}`);
    }
  }
  return { file, text: text === before ? null : text, left };
}

function isSet(values: unknown, key: string): boolean {
  const [first = '', ...rest] = key.split('.');
  if (!isFields(values) || !Object.hasOwn(values, first)) return false;
  return rest.length === 0 || isSet(values[first], rest.join('.'));
}
