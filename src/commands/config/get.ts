import { UsageError } from '../../contracts/errors.ts';
import { nearest } from '../../rules/nearest.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../flags.ts';
import { printJson, printLines } from '../print.ts';
import { effectiveSettings, settingText } from './list.ts';

/** `ralph config get KEY`: the value alone, for scripts; with `--json` also where it came from. */
export async function getConfig([key = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const settings = await effectiveSettings(flags, io);
  const setting = settings.find((one) => one.key === key);
  if (!setting)
    throw unknownKey(
      key,
      settings.map((one) => one.key),
    );
  if (isOn(flags, 'json')) printJson(io, setting);
  else printLines(io, [settingText(setting.value)]);
  return 0;
}

function unknownKey(key: string, known: readonly string[]): UsageError {
  // `checks` alone is a group of settings, not a typing error.
  const members = known.filter((one) => one.startsWith(`${key}.`));
  const near = nearest(key, known);
  const hint = members.length > 0 ? `; it holds ${members.join(', ')}` : near ? `; did you mean ${near}?` : '';
  return new UsageError({ what: `there is no setting '${key}'${hint}`, mend: ['`ralph config` lists them'] });
}
