import { hookScript } from '../../adapters/workspace/hooks/hook-script.ts';
import { readSettings } from '../../adapters/workspace/hooks/settings-file.ts';
import { RalphError } from '../../contracts/errors.ts';
import { ExitCode } from '../../contracts/model.ts';
import { hookCommand, hookGroups } from '../../rules/hooks/settings/entries.ts';
import { settingsFaults } from '../../rules/hooks/settings/faults.ts';
import { hasAnyHooks, hasHooks } from '../../rules/hooks/settings/install.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { projectSettings, userSettings } from './settings-place.ts';

/** What is known of one settings file. */
export interface PlaceStatus {
  readonly place: 'project' | 'user';
  readonly path: string;
  /** `outdated`: ours, but of another installation or an earlier version. */
  readonly hooks: 'installed' | 'outdated' | 'none';
  readonly faults: readonly { readonly line: number; readonly message: string; readonly mend: string }[];
}

/** `ralph hooks status`: exit 2 when a file has entries that keep the client from reading any of its hooks. */
export async function hooksStatus(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const places = await hookPlaces(flags, io);
  if (isOn(flags, 'json')) printJson(io, places);
  else printLines(io, places.flatMap(renderPlace));
  return places.some(({ faults }) => faults.length > 0) ? ExitCode.usage : ExitCode.complete;
}

/** The settings files in which ralph's hooks may be. */
export async function hookPlaces(flags: RawFlags, io: Io): Promise<readonly PlaceStatus[]> {
  return [await look('project', projectSettings(flags, io)), await look('user', userSettings(io))];
}

async function look(place: PlaceStatus['place'], path: string): Promise<PlaceStatus> {
  try {
    const text = (await readSettings(path)) ?? '{}';
    const faults = settingsFaults(text).map(({ line, message, mend }) => ({ line, message, mend }));
    return { place, path, hooks: faults.length > 0 ? 'none' : await hooksIn(text), faults };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const { what, where = '', why = '', mend = [] } = error.facts;
    const line = Number(/:(\d+)$/.exec(where)?.[1] ?? 1);
    return { place, path, hooks: 'none', faults: [{ line, message: `${what}: ${why}`, mend: mend.join('; ') }] };
  }
}

async function hooksIn(text: string): Promise<PlaceStatus['hooks']> {
  if (!hasAnyHooks(text)) return 'none';
  const groups = hookGroups(hookCommand(process.execPath, await hookScript()), 'open');
  return hasHooks(text, groups) ? 'installed' : 'outdated';
}

const WORDS: Readonly<Record<PlaceStatus['hooks'], string>> = {
  installed: 'installed',
  outdated: 'of another installation or version; mend: ralph hooks install',
  none: 'not installed',
};

function renderPlace({ place, path, hooks, faults }: PlaceStatus): readonly string[] {
  return [
    `${place.padEnd(7)}  ${path}`,
    ...(faults.length > 0 ? [] : [`         ${WORDS[hooks]}`]),
    ...faults.flatMap(({ line, message, mend }) => [
      `         ${path}:${line}: ${message}`,
      `           mend: ${mend}`,
    ]),
  ];
}
