import type { ParsedConfig } from './config-schema.ts';

/** What of a setting can be checked without the schema; `other`: nothing. */
export type PlainKind =
  | 'text'
  | 'texts'
  | 'agents'
  | 'flag'
  | 'duration'
  | 'time-limit'
  | 'other'
  | { readonly choices: readonly string[] }
  | { readonly least: number; readonly most: number };

export interface PlainSetting {
  readonly key: string;
  readonly path: readonly string[];
  readonly kind: PlainKind;
  readonly nullable: boolean;
}

export interface PlainSettings {
  /** In the schema's order. */
  readonly settings: readonly PlainSetting[];
  /** What the schema makes of no settings at all. */
  readonly defaults: ParsedConfig;
}
