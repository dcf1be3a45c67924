import { readSettings, restoreSettings, type SettingsChange } from '../../adapters/workspace/hooks/settings-file.ts';
import { hasAnyHooks, withoutHooks } from '../../rules/hooks/settings/install.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { settingsPath } from './settings-place.ts';

/** `ralph hooks uninstall`: takes our entries out of the client's settings; others stay as they are. */
export async function uninstallHooks(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const path = settingsPath(flags, io);
  const before = await readSettings(path);
  const change: SettingsChange =
    before === null || !hasAnyHooks(before)
      ? { path, changed: false, backup: null }
      : await restoreSettings(path, { before, after: withoutHooks(before) });
  if (isOn(flags, 'json')) printJson(io, change);
  else printLines(io, renderUninstall(change));
  return 0;
}

function renderUninstall({ path, changed, backup }: SettingsChange): readonly string[] {
  if (!changed) return [`no hooks of ralph's are in ${path}`];
  return [
    `took the hooks out of ${path}`,
    ...(backup === null ? [] : [`the file had other changes since; as it was before ralph: ${backup}`]),
  ];
}
