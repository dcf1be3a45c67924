import type { ConfigSource } from '../../contracts/config.ts';
import { type Column, renderColumns } from '../../surfaces/terminal/columns.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { configIn, openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';

/** One setting as it is in effect. */
export interface SettingView {
  readonly key: string;
  /** As people write it: durations with their unit. */
  readonly value: unknown;
  readonly source: ConfigSource;
  /** The file or variable, empty for a default. */
  readonly where: string;
}

/** `ralph config list` */
export async function listConfig(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const settings = await effectiveSettings(flags, io);
  if (isOn(flags, 'json')) printJson(io, settings);
  else printLines(io, renderSettings(settings, io.isTTY ? io.columns : Number.POSITIVE_INFINITY, paintFor(io)));
  return 0;
}

/** Every setting of the project's configuration; warnings about it go to stderr. */
export async function effectiveSettings(flags: RawFlags, io: Io): Promise<readonly SettingView[]> {
  const git = await openProject(flags, io);
  const { sources, warnings } = await configIn(git, io);
  for (const warning of warnings) io.stderr.write(`warning: ${oneLine(warning)}\n`);
  return Object.entries(sources).map(([key, { value, source, where }]) => ({ key, value, source, where }));
}

const COLUMNS: readonly Column<SettingView>[] = [
  { title: 'key', text: ({ key }) => key },
  {
    title: 'value',
    text: ({ value }) => settingText(value),
    tone: ({ source }) => (source === 'default' ? null : 'strong'),
    flexible: true,
  },
  {
    title: 'from',
    text: ({ source, where }) => (source === 'default' ? 'default' : `${source} ${where}`.trim()),
    tone: ({ source }) => (source === 'default' ? 'dim' : 'accent'),
  },
];

/** Pure. */
export function renderSettings(settings: readonly SettingView[], width: number, paint: Paint): readonly string[] {
  return renderColumns(COLUMNS, settings, width, paint);
}

/** A text as it is, anything else as JSON. */
export function settingText(value: unknown): string {
  return typeof value === 'string' ? oneLine(value) : JSON.stringify(value);
}
