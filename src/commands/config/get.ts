import { unknownSetting } from '../../adapters/workspace/config/config-edit.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { paintFor } from '../../surfaces/terminal/paint.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { effectiveSettings, renderSettings, settingText } from './list.ts';

/**
 * `ralph config get KEY`: the value alone, for scripts; with `--json` also where it came from. Of a group, such as
 * `checks`, the table of its settings.
 */
export async function getConfig([key = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const settings = await effectiveSettings(flags, io);
  const asJson = isOn(flags, 'json');
  const setting = settings.find((one) => one.key === key);
  const members = settings.filter((one) => one.key.startsWith(`${key}.`));
  if (setting) {
    if (asJson) printJson(io, setting);
    else printLines(io, [settingText(setting.value)]);
  } else if (members.length > 0) {
    if (asJson) printJson(io, members);
    else printLines(io, renderSettings(members, io.isTTY ? io.columns : Number.POSITIVE_INFINITY, paintFor(io)));
  } else {
    throw unknownSetting(
      key,
      settings.map((one) => one.key),
    );
  }
  return 0;
}
