import type { ConfigSource } from '../../../contracts/config.ts';

/** One setting by its name. */
export interface SettingName {
  /** As `ralph config get` takes it: `checks.timeout`. */
  readonly key: string;
  readonly path: readonly string[];
}

/** A setting that says what is wrong with a value, as the end of a sentence; null when nothing is. */
export interface JudgedSetting extends SettingName {
  complaint(value: unknown): string | null;
}

/** A value of the configuration and where it came from. */
export interface SettingSource {
  readonly source: ConfigSource;
  /** `ralph.config.json:3`, `RALPH_AGENT`, `command line`; empty for a default. */
  readonly where: string;
  /** As people write it: durations with units, null when not set. */
  readonly value: unknown;
}

/** What one source sets, by setting, e.g. `checks.timeout`. */
export type Layer = ReadonlyMap<string, SettingSource>;
