import { createHash } from 'node:crypto';
import { initRepository } from '../../adapters/git/init.ts';
import { type Inventory, takeInventory } from '../../adapters/git/inventory.ts';
import { addSurroundings } from '../../adapters/git/surroundings.ts';
import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import { templatePath } from '../../adapters/workspace/backlog/template-files.ts';
import type { Story } from '../../contracts/model.ts';
import { writeAtomic } from '../../platform/files/atomic-file.ts';
import { copy, makeDir, makeTempDir, readBytes } from '../../platform/files/files.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { ownEntry } from './entry.ts';
import { HONEST, type Row } from './rows/row.ts';
import { settingsOf, tasksOf } from './settings.ts';
import { workspaceOf } from './workspace.ts';

/** A throw-away project with a user's own things in it, and what all of it was before an agent came. */
export interface Project {
  /** Holds everything below. */
  readonly folder: string;
  /** The work tree. */
  readonly root: string;
  /** Bare; what nobody may push to. */
  readonly remote: string;
  /** The agent's home and temp folder, beside the work tree. */
  readonly home: string;
  readonly scenario: string;
  /** Node's arguments that start ralph. */
  readonly entry: readonly string[];
  readonly before: Before;
}

/** What must still be there afterwards. */
export interface Before {
  readonly repository: Inventory;
  readonly remote: Inventory;
  readonly stories: readonly Story[];
  /** The user's own files, which git does not know: what each holds. */
  readonly files: Contents;
  /** Files that say what is asked for. */
  readonly requirements: Contents;
}

/** The user's own files beside the work: one that git ignores, two that nobody has added yet. */
const OWN_FILES: Readonly<Record<string, string>> = {
  'private/key.txt': "the user's own key\n",
  'draft.txt': "the user's own draft\n",
  'notes.txt': "the user's own notes\n",
};
const REQUIREMENTS = ['ralph/prd.md'];

/** Makes the project of a row. @param agent command that plays the agent; null: the row's own scenario */
export async function makeProject(row: Row, agent: string | null): Promise<Project> {
  const folder = await makeTempDir(`ralph-selftest-${row.name}-`);
  const [root, remote, home] = [`${folder}/project`, `${folder}/remote.git`, `${folder}/home`];
  const scenario = `${folder}/scenario.yaml`;
  const entry = await ownEntry();
  await copy(await templatePath('selftest'), root);
  await put(`${root}/.gitignore`, 'private/\n');
  await put(`${root}/ralph/tasks.json`, pretty(tasksOf(row)));
  await put(`${root}/ralph.config.json`, pretty(settingsOf(row, agent)));
  await initRepository(root, 'A small shop: requirements, stories and the first lines of code');
  await makeDir(remote);
  await addSurroundings(root, remote, 'idea');
  for (const [path, text] of Object.entries(OWN_FILES)) await put(`${root}/${path}`, text);
  // JSON is YAML, and everything that a scenario can say.
  await put(scenario, pretty({ version: 1, steps: [...row.steps, ...HONEST] }));
  await put(
    `${home}/bin/ralph`,
    `#!/bin/sh\nexec ${[process.execPath, ...entry].map(shellWord).join(' ')} "$@"\n`,
    0o755,
  );
  if (row.gitSettings !== undefined) await put(`${home}/.gitconfig`, row.gitSettings);
  const before: Before = {
    repository: await takeInventory(`${root}/.git`),
    remote: await takeInventory(remote),
    stories: (await loadOrThrow(await workspaceOf(root))).document.backlog.stories,
    files: await contentsOf(root, Object.keys(OWN_FILES)),
    requirements: await contentsOf(root, REQUIREMENTS),
  };
  return { folder, root, remote, home, scenario, entry, before };
}

/** Path of a file → what it holds, as git would name it; a file that is gone is absent. */
export type Contents = ReadonlyMap<string, string>;

export async function contentsOf(root: string, paths: readonly string[]): Promise<Contents> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const bytes = await readBytes(`${root}/${path}`);
    if (bytes !== null) found.set(path, blobId(bytes));
  }
  return found;
}

/** The name git gives to these bytes (SHA-1). */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

async function put(path: string, text: string, mode?: number): Promise<void> {
  await writeAtomic(path, text, { fsync: false, ...(mode === undefined ? {} : { mode }) });
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
