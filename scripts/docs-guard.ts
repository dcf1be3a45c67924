import { readFileSync, writeFileSync } from 'node:fs';
import { withRules } from './docs/guard-table.ts';

/* Writes the tables of rules in docs/guard.md from the rules themselves; the rest of the page is written by hand. */

const file = new URL('../docs/guard.md', import.meta.url);
writeFileSync(file, withRules(readFileSync(file, 'utf8')));
