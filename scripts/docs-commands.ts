import { readFileSync, writeFileSync } from 'node:fs';
import { manFiles } from './build/man-pages.ts';
import { commandsPage } from './docs/commands-page.ts';

/*
 * Writes docs/commands.md, and the manual pages in package.json, from the command table; with --check only says whether
 * the page is current.
 */

const file = new URL('../docs/commands.md', import.meta.url);
const page = commandsPage();

if (!process.argv.includes('--check')) {
  writeFileSync(file, page);
  const manifest = new URL('../package.json', import.meta.url);
  const fields = { ...JSON.parse(readFileSync(manifest, 'utf8')), man: manFiles() };
  writeFileSync(manifest, `${JSON.stringify(fields, null, 2)}\n`);
} else if (readFileSync(file, 'utf8') !== page) {
  process.stderr.write('docs/commands.md is not current: npx tsx scripts/docs-commands.ts\n');
  process.exitCode = 1;
}
