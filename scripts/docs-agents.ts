import { readFileSync, writeFileSync } from 'node:fs';
import { withAgents } from './docs/agents-table.ts';

/* Writes the tables in docs/agents.md from the agents' declarations; the rest of the page is written by hand. */

const file = new URL('../docs/agents.md', import.meta.url);
writeFileSync(file, await withAgents(readFileSync(file, 'utf8')));
