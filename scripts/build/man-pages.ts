import { allManuals } from '../../src/commands/help.ts';
import { commands, groups } from '../../src/commands/table.ts';
import { version } from '../../src/version.ts';
import { manualRoff, pageName } from './roff.ts';

/** Folder of the manual pages, relative to dist/. */
export const MAN_FOLDER = 'man';

/** The field `man` of package.json. npm links only what is listed there, no folder, where `man` looks. */
export function manFiles(): readonly string[] {
  return manPages().map(([name]) => `./dist/${MAN_FOLDER}/${name}`);
}

/** Every manual page: name of the file (`ralph-run.1`) and its text. */
export function manPages(): readonly (readonly [name: string, text: string])[] {
  return allManuals({ commands, groups }).map((manual) => [`${pageName(manual)}.1`, manualRoff(manual, version)]);
}
