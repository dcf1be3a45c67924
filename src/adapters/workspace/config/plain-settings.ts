import type { PlainSettings } from './plain-setting.ts';
import { plainSettingsOfSchema } from './plain-settings-of-schema.ts';

/** The build replaces this module by its value (scripts/build/plain-settings.ts), so that no start loads the schema for it. */
export const PLAIN_SETTINGS: PlainSettings = plainSettingsOfSchema();
