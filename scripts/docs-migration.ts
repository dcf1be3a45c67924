import { readFileSync, writeFileSync } from 'node:fs';
import { withMigration } from './docs/migration-table.ts';

/* Writes the table in docs/migration.md from what `ralph import` goes by; the rest of the page is written by hand. */

const file = new URL('../docs/migration.md', import.meta.url);
writeFileSync(file, withMigration(readFileSync(file, 'utf8')));
