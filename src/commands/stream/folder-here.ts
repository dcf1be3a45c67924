import { resolve } from 'node:path';
import type { Story } from '../../contracts/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import { counted } from '../../rules/text/index.ts';
import { type Folder, findFolder, partsOf, readLanding, standingOf } from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { type RawFlags, textOf } from '../shared/flags.ts';

/** The folder of clones that a command is typed in; null: it is about one repository. */
export function folderHere(flags: RawFlags, io: Io): Promise<Folder | null> {
  const prd = textOf(flags, 'prd');
  const dir = resolve(io.cwd, textOf(flags, 'projectDir') ?? (io.env['RALPH_ROOT'] || '.'));
  return findFolder(dir, prd === undefined ? {} : { prd }, io.env);
}

export async function storiesOf(folder: Folder): Promise<readonly Story[]> {
  return standingOf(folder, await partsOf(folder)).stories;
}

/** How far all of it is, and the next command. */
export async function nextLines(folder: Folder): Promise<readonly string[]> {
  if ((await readLanding(folder.root)) !== null) return ['a merge was cut off; ralph stream merge finishes it'];
  const stories = await storiesOf(folder);
  const open = stories.filter((story) => !isDone(story));
  const done = `${stories.length - open.length} of ${counted(stories.length, 'story', 'stories')} done`;
  return [open.length === 0 ? `${done}; next: ralph stream merge` : `${done}; ralph stream start continues`];
}
