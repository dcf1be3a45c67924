import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { plainSettingsOfSchema } from '../../src/adapters/workspace/config/plain-settings-of-schema.ts';
import { root } from '../root.ts';

const MODULE = join(root, 'src/adapters/workspace/config/plain-settings.ts');

/**
 * Puts what the schema says of plain settings into the program as data: to find it out, a start would load the schema.
 * V8 reads a text of JSON faster than the same as code.
 */
export const PLAIN_SETTINGS_AS_DATA: Plugin = {
  name: 'plain-settings',
  load(id) {
    if (id !== MODULE) return null;
    const text = JSON.stringify(JSON.stringify(plainSettingsOfSchema()));
    return { code: `export const PLAIN_SETTINGS = JSON.parse(${text});`, moduleType: 'js' };
  },
};
