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
  const others = (await Promise.all(LAYOUTS.map((each) => backlogsOf(base, each)))).flat();
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
  const named = async (part: Part) =>
    (await Promise.all(folders.map(({ path }) => namesIn(base, path, part, layout)))).flat();
  const read = async (part: Part) => readAll(base, await named(part));
  const [prompt, prds, logs, patterns, settings] = await Promise.all([
    read('prompt'),
    read('prd'),
    read('progress'),
    read('patterns'),
    read('settings'),
  ]);
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
    specs: await readAll(base, await documentsIn(base, specs)),
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
  const names = await Promise.all(folders.map(({ path }) => namesIn(base, path, 'backlog', layout)));
  return names.flat().map((path) => ({ base, path, layout }));
}

interface Folder {
  readonly path: string;
  /** It is one match of a `*`. */
  readonly isOneOf: boolean;
}

async function foldersOf(base: string, { folders }: Layout): Promise<readonly Folder[]> {
  const all = await Promise.all(
    folders.map(async (folder): Promise<readonly Folder[]> => {
      if (!folder.endsWith('/*')) return [{ path: folder, isOneOf: false }];
      const parent = folder.slice(0, -2);
      const names = await list(posix.join(base, parent));
      return names.map((name) => ({ path: posix.join(parent, name), isOneOf: true }));
    }),
  );
  return all.flat();
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
  const shown = new Set([main, folders.some(({ path, isOneOf }) => isOneOf && path === home) ? home : undefined]);
  const names = await Promise.all(
    [...shown].map(async (folder) =>
      folder === undefined || folder === null || folder === '.'
        ? []
        : (await list(posix.join(base, folder))).map((name) => posix.join(folder, name)),
    ),
  );
  return names.flat();
}

async function documentsIn(base: string, folders: readonly string[]): Promise<readonly string[]> {
  const all = await Promise.all(
    folders.map(async (folder) => (await list(posix.join(base, folder))).map((name) => posix.join(folder, name))),
  );
  return all.flat().filter((path) => path.endsWith('.md'));
}

async function readAll(base: string, paths: readonly string[]): Promise<readonly OldFile[]> {
  const files = await Promise.all(
    paths.map(async (path): Promise<readonly OldFile[]> => {
      if ((await stat(posix.join(base, path)))?.kind === 'dir') return [];
      const { bytes } = await readInside(base, path, MOST_BACKLOG_BYTES);
      return bytes === null ? [] : [{ path, text: bytes.toString('utf8') }];
    }),
  );
  return files.flat();
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
const MOST_BYTES = 1024 * 1024;

/** Finds hooks that point into another loop's folder. Changes nothing: the file belongs to the user. */
export async function findOldHooks(base: string): Promise<readonly OldHook[]> {
  const found = await Promise.all(
    SETTINGS.map(async (file) => {
      const { bytes } = await readInside(base, file, MOST_BYTES);
      return bytes === null ? [] : hooksIn(file, bytes.toString('utf8'));
    }),
  );
  return found.flat();
}

function hooksIn(file: string, text: string): readonly OldHook[] {
  const hooks = record(record(parsed(text))['hooks']);
  return Object.entries(hooks).flatMap(([event, value]) =>
    commandsIn(value)
      .filter((command) => OLD.test(command))
      .map((command) => ({ file, line: lineOf(text, command), event, command })),
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

function lineOf(text: string, command: string): number {
  const at = text.indexOf(JSON.stringify(command));
  return at === -1 ? 1 : text.slice(0, at).split('\n').length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** The configuration of a project with settings of another loop added; nothing is written yet. */
interface ImportedSettings {
  /** Relative to the root. */
  readonly file: string;
  /** Null when nothing changes. */
  readonly text: string | null;
  readonly taken: Readonly<Record<string, unknown>>;
  /** Why settings were left out. */
  readonly left: readonly string[];
}

/** Adds settings that the configuration file does not contain yet. */
export async function addSettings(
  root: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<ImportedSettings> {
  const file = (await findConfigFile(root)) ?? NEW_CONFIG_FILE;
  if (!file.endsWith('.json')) {
    const names = Object.keys(settings);
    return {
      file,
      text: null,
      taken: {},
      left: names.map((name) => `${name}: ${file} is code, set it there yourself`),
    };
  }
  const before = (await findConfigFile(root)) === null ? null : await configText(root, file);
  let text = before;
  const taken: [string, unknown][] = [];
  const left: string[] = [];
  for (const [key, value] of Object.entries(settings)) {
    if (text !== null && isSet(configIn(file, text).values, key)) {
      left.push(`${key}: ${file} says something else already`);
      continue;
    }
    try {
      text = withSetting({ file, text, key }, typeof value === 'string' ? value : JSON.stringify(value)).text;
      taken.push([key, value]);
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      left.push(`${key}: ${error.facts.what}`);
    }
  }
  return { file, text: taken.length > 0 ? text : null, taken: Object.fromEntries(taken), left };
}

function isSet(values: unknown, key: string): boolean {
  let at: unknown = values;
  for (const part of key.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return false;
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return true;
}
