import { convertSetting } from './convert-setting.ts';
import { MIGRATED_SETTINGS, type MigratedSetting } from './settings-table.ts';

/** What becomes of one setting of another loop. */
export interface SettingMove {
  readonly from: string;
  /** Setting of ours; null when nothing is taken over. */
  readonly to: string | null;
  readonly value: unknown;
  /** Why nothing is taken over, or what differs. */
  readonly note: string;
}

/**
 * Looks up settings of another loop, by their dotted names. The first file that sets something of ours decides, except
 * that commands are gathered. Names that nobody knows are no settings of a loop and are left out.
 */
export function migrateSettings(found: Readonly<Record<string, unknown>>): readonly SettingMove[] {
  const moves: SettingMove[] = [];
  for (const [from, value] of Object.entries(found)) {
    const row = rowFor(from);
    if (row === undefined) continue;
    moves.push(moveOf(row, from, value, moves));
  }
  return moves;
}

/** The settings to write, by dotted name. */
export function settingsOf(moves: readonly SettingMove[]): Readonly<Record<string, unknown>> {
  const settings = new Map<string, unknown>();
  for (const { to, value } of moves) {
    if (to === null) continue;
    const before = settings.get(to);
    settings.set(to, Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value);
  }
  return Object.fromEntries(settings);
}

/** The row of the table for a name, or for the group that a name is in (`hats.planner.name` is in `hats`). */
function rowFor(from: string): MigratedSetting | undefined {
  return MIGRATED_SETTINGS.find((row) => row.from === from || (row.to === null && from.startsWith(`${row.from}.`)));
}

function moveOf(row: MigratedSetting, from: string, value: unknown, moves: readonly SettingMove[]): SettingMove {
  if (row.to === null || row.convert === undefined) return { from, to: null, value, note: row.note };
  const converted = convertSetting(row.convert, value);
  if (converted === null) return { from, to: null, value, note: `${row.to} cannot be that: ${row.note}` };
  const isTaken = !Array.isArray(converted) && moves.some(({ to }) => to === row.to);
  if (isTaken) return { from, to: null, value, note: `${row.to} is set already` };
  return { from, to: row.to, value: converted, note: row.note };
}
