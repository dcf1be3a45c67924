import { isAbsolute } from 'node:path';
import {
  FileProblemsError,
  type Problem,
  type RalphError,
  type StoryState,
  UsageError,
} from '../../contracts/index.ts';
import type { SettingMove } from '../../rules/import/index.ts';
import { counted, oneLine, shellWord } from '../../rules/text/index.ts';
import type { Io, Paint } from '../../surfaces/terminal/index.ts';
import { placeOf, type RawFlags } from '../shared/flags.ts';
import type { OldHook } from './old-layout.ts';

export interface ImportRequest {
  readonly source: string;
  /** Which of the backlogs of a folder; null when there is no choice to make. */
  readonly chosen: string | null;
  readonly dryRun: boolean;
  readonly repair: boolean;
  readonly force: boolean;
  readonly flags: RawFlags;
  readonly io: Io;
}

/** The result; `--json` prints it unchanged. */
export interface Imported {
  /** The file that the stories come from; null for issues. */
  readonly file: string | null;
  readonly stories: number;
  readonly done: number;
  readonly format: 'prd-json' | 'markdown' | 'tasks-json' | 'github' | 'plugin';
  readonly warnings: readonly string[];
  /** A short description of where the stories were. */
  readonly shape: string;
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly state: StoryState;
    readonly priority: number;
    readonly dependsOn: readonly string[];
  }[];
  /** For issues: number of new stories. */
  readonly added?: number;
  /** Settings of the other loop, and what becomes of each. */
  readonly settings?: readonly SettingMove[];
  /** Hooks of the other loop that are still installed. */
  readonly hooks?: readonly OldHook[];
  /** Files that stay in place, for people to keep or to delete. */
  readonly left?: readonly string[];
  readonly written: readonly string[];
  readonly backups: readonly string[];
}

/** One refusal for all problems of a file; a single problem takes one line. @throws always */
export function refuse(file: string, problems: readonly Problem[]): never {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [only, second] = errors;
  if (only !== undefined && second === undefined) {
    throw new UsageError({
      what: inOneLine(only),
      why: 'nothing can be imported from it as it is',
      fix: [only.fix],
    });
  }
  throw new FileProblemsError({ what: `${file} cannot be imported: ${errors.length} errors` }, errors);
}

/** `file:line:column: what is wrong`, as editors take it; the column only where it is known. */
function inOneLine({ file, line, message }: Problem): string {
  const column = / at column (\d+)/.exec(message);
  const said = (column === null ? message : message.replace(column[0], '')).replace(/\.$/, '');
  return `${file}:${line}:${column === null ? '' : `${column[1]}:`} ${said}`;
}

/** The document that `--json` prints instead of a result. */
export function refusal(error: RalphError): Record<string, unknown> {
  const problems = error instanceof FileProblemsError ? { problems: error.problems } : {};
  return { stories: 0, done: 0, format: null, warnings: [], error: { ...error.facts, ...problems } };
}

const MOST_ITEMS = 10;
const MOST_WARNINGS = 12;
/** Columns; longer ids are cut. */
const WIDEST_ID = 24;

type Asked = Pick<ImportRequest, 'source' | 'chosen' | 'dryRun' | 'repair' | 'force' | 'flags'>;

/** What was understood, what was written, and what to do now. Pure; all text of the file is sanitized. */
export function renderImport(request: Asked, imported: Imported, paint: Paint): readonly string[] {
  const { source, dryRun } = request;
  const { stories, done, format, shape, added, file } = imported;
  const more = added === undefined ? '' : `, ${added} of them new`;
  return [
    paint('strong', `${oneLine(source)}: ${counted(stories, 'story', 'stories')}, ${done} done${more}`),
    paint(
      'dim',
      `read as ${format}: ${oneLine(shape)}${file === null || file === source ? '' : `, in ${oneLine(file)}`}`,
    ),
    '',
    ...itemLines(imported, paint),
    ...section('Worth a look:', shownWarnings(imported)),
    ...section('Settings:', (imported.settings ?? []).map(settingLine)),
    ...section('Hooks of the other loop, still installed:', hookLines(imported)),
    ...section('Left where it is:', (imported.left ?? []).map(oneLine)),
    ...section('Backups:', imported.backups),
    ...(dryRun ? dryRunSteps(request, imported) : section('Written:', imported.written)),
    ...(dryRun ? [] : nextSteps(request, imported)),
  ];
}

function itemLines({ items }: Imported, paint: Paint): readonly string[] {
  const shown = items.slice(0, MOST_ITEMS);
  const ids = shown.map(({ id }) => cut(oneLine(id), WIDEST_ID));
  const width = Math.max(...ids.map((id) => id.length), 0);
  const lines = shown.map(({ title, state }, at) => {
    const tone = state.startsWith('done') ? 'good' : state === 'blocked' ? 'warn' : 'dim';
    return `  ${(ids[at] ?? '').padEnd(width)}  ${paint(tone, state.padEnd(16))}  ${oneLine(title)}`;
  });
  return items.length > shown.length ? [...lines, `  … and ${items.length - shown.length} more`] : lines;
}

function settingLine({ from, to, value, note }: NonNullable<Imported['settings']>[number]): string {
  const shown = oneLine(JSON.stringify(value) ?? '').slice(0, 60);
  return oneLine(to === null ? `${from}: not imported: ${note}` : `${from} → ${to} = ${shown} (${note})`);
}

function hookLines({ hooks = [] }: Imported): readonly string[] {
  if (hooks.length === 0) return [];
  return [
    ...hooks.map(({ file, line, event, command }) => `${file}:${line}  ${oneLine(event)}: ${oneLine(command)}`),
    'remove these lines yourself; runs use their own hooks, and `ralph hooks install` adds them to your own sessions',
  ];
}

/** The first warnings, and always the last: it says what to write better. */
function shownWarnings({ warnings }: Imported): readonly string[] {
  const lines = warnings.map(oneLine);
  const last = lines.at(-1);
  if (last === undefined || lines.length <= MOST_WARNINGS) return lines;
  return [...lines.slice(0, MOST_WARNINGS - 1), `… and ${lines.length - MOST_WARNINGS} more (--json)`, last];
}

function dryRunSteps(request: Asked, { file, format }: Imported): readonly string[] {
  const inPlace = file !== null && worksInPlace(file) && !request.repair ? shellWord(file) : null;
  return [
    '',
    'Nothing was written. Next:',
    `  import it:            ${importCommand(request)}`,
    ...(format === 'github' || format === 'plugin' || inPlace === null
      ? []
      : [`  or use it in place:   PLAN_PATH=${inPlace} ralph run`]),
  ];
}

/** A run finds a backlog by its file name ending, and works only on files in its work tree. */
function worksInPlace(file: string): boolean {
  return /\.(?:json|md)$/i.test(file) && !isAbsolute(file) && !file.startsWith('..');
}

function importCommand({ source, chosen, repair, force, flags }: Asked): string {
  const words = [shellWord(source), ...(chosen === null ? [] : [shellWord(chosen)])];
  const switches = [...(repair ? ['--repair'] : []), ...(force ? ['--force'] : [])];
  return oneLine(['ralph import', ...words, ...switches].join(' ') + placeWords(flags));
}

/** The flags that locate the workspace, for every suggested command. */
function placeWords(flags: RawFlags): string {
  const { ralphDir, prd, projectDir } = placeOf(flags);
  const given = [
    ['--ralph-dir', ralphDir],
    ['--prd', prd],
    ['--project-dir', projectDir],
  ];
  return given.map(([name, value]) => (value === undefined ? '' : ` ${name} ${shellWord(value)}`)).join('');
}

function nextSteps({ flags }: Asked, { written }: Imported): readonly string[] {
  if (written.length === 0) return ['', 'Nothing new.'];
  const place = placeWords(flags);
  return [
    '',
    'Next:',
    `  1. look at the imported stories: ralph stories${place}`,
    `  2. check it: ralph validate${place}`,
    `  3. see the plan and the prompt: ralph run --dry-run${place}`,
    `  4. start: ralph run${place}`,
  ];
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

function section(title: string, lines: readonly string[], most = 40): readonly string[] {
  if (lines.length === 0) return [];
  const rest = lines.length - most;
  return [
    '',
    title,
    ...lines.slice(0, most).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  … and ${rest} more (--json)`] : []),
  ];
}
