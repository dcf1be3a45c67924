import { readFileSync, writeFileSync } from 'node:fs';
import { commandsPage } from './docs/commands-page.ts';

/* Writes docs/commands.md from the command table; with --check only says whether it is current. */

const file = new URL('../docs/commands.md', import.meta.url);
const page = commandsPage();

if (!process.argv.includes('--check')) {
  writeFileSync(file, page);
} else if (readFileSync(file, 'utf8') !== page) {
  process.stderr.write('docs/commands.md is not current: npx tsx scripts/docs-commands.ts\n');
  process.exitCode = 1;
}
