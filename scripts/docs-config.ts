import { readFileSync, writeFileSync } from 'node:fs';
import { withSettings } from './docs/settings-table.ts';

/* Writes the table of settings in docs/configuration.md from the schema; the rest of the page is written by hand. */

const file = new URL('../docs/configuration.md', import.meta.url);
writeFileSync(file, await withSettings(readFileSync(file, 'utf8')));
