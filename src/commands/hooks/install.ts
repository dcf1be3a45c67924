import { hookScript } from '../../adapters/workspace/hooks/hook-script.ts';
import { readSettings, type SettingsChange, writeSettings } from '../../adapters/workspace/hooks/settings-file.ts';
import { ConfigError } from '../../contracts/errors.ts';
import { hookCommand, hookGroups } from '../../rules/hooks/settings/entries.ts';
import { settingsFaults, withoutStringForms } from '../../rules/hooks/settings/faults.ts';
import { EMPTY_SETTINGS, hasAnyHooks, withHooks } from '../../rules/hooks/settings/install.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { settingsPath } from './settings-place.ts';

/** `ralph hooks install`: adds our entries to the client's settings, and nothing else changes there. */
export async function installHooks(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const path = settingsPath(flags, io);
  const before = await readSettings(path);
  const sound = soundText(path, before ?? EMPTY_SETTINGS);
  // Open: a Node that was removed must not keep every command from running.
  const groups = hookGroups(hookCommand(process.execPath, await hookScript()), 'open');
  const after = withHooks(sound, groups);
  const change = await writeSettings(path, { before, after }, before !== null && !hasAnyHooks(before));
  if (isOn(flags, 'json')) printJson(io, { ...change, mended: sound !== (before ?? EMPTY_SETTINGS) });
  else printLines(io, renderInstall(change, sound !== (before ?? EMPTY_SETTINGS)));
  return 0;
}

/** String forms are mended, as the client would ignore ours as well. @throws ConfigError for what nobody can guess */
function soundText(path: string, text: string): string {
  const sound = withoutStringForms(text);
  const [fault] = settingsFaults(sound);
  if (fault === undefined) return sound;
  const { line, message, mend } = fault;
  throw new ConfigError({ what: message, where: `${path}:${line}`, mend: [mend] });
}

function renderInstall({ path, changed, backup }: SettingsChange, mended: boolean): readonly string[] {
  if (!changed) return [`the hooks are in ${path} already`];
  return [
    `wrote  ${path}`,
    ...(backup === null ? [] : [`kept   ${backup} (the file as it was)`]),
    ...(mended ? ['mended older hook entries, which kept the client from reading any hook of the file'] : []),
    '',
    'New sessions ask ralph before they run a command, and hear when their context fills up.',
    'Take them out again: ralph hooks uninstall',
  ];
}
