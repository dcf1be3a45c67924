import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { addSurroundings, blobId, initRepository, takeInventory } from '../../adapters/git/index.ts';
import { findWorkspace, loadOrThrow, type Workspace } from '../../adapters/workspace/index.ts';
import { copy, makeDir, makeTempDir, packageFolder, readBytes, writeAtomic } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { HONEST, type Row } from './rows/row.ts';

/** A throw-away project with files of a user in it, and its state before an agent came. */
export type Project = Awaited<ReturnType<typeof makeProject>>;

/** The user's own files beside the work: one ignored by git, two not added yet. */
const OWN_FILES: Readonly<Record<string, string>> = {
  'private/key.txt': "the user's own key\n",
  'draft.txt': "the user's own draft\n",
  'notes.txt': "the user's own notes\n",
};
const REQUIREMENTS = ['ralph/prd.md'];

/** Makes the project of a row. @param agent command that plays the agent; null: the row's own scenario */
export async function makeProject(row: Row, agent: string | null) {
  const folder = await makeTempDir(`ralph-selftest-${row.name}-`);
  const [root, remote, home] = [`${folder}/project`, `${folder}/remote.git`, `${folder}/home`];
  const scenario = `${folder}/scenario.yaml`;
  const entry = await ownEntry();
  await copy(`${await packageFolder()}/templates/selftest`, root);
  await put(`${root}/.gitignore`, 'private/\n');
  await put(`${root}/ralph/tasks.json`, pretty(tasksOf(row)));
  await put(`${root}/ralph.config.json`, pretty(settingsOf(row, agent)));
  await initRepository(root, 'A small shop: requirements, stories and the first lines of code');
  await makeDir(remote);
  await addSurroundings(root, remote, 'idea');
  for (const [path, text] of Object.entries(OWN_FILES)) await put(`${root}/${path}`, text);
  // JSON is YAML, and covers everything a scenario can say.
  await put(scenario, pretty({ version: 1, steps: [...row.steps, ...HONEST] }));
  await put(
    `${home}/bin/ralph`,
    `#!/bin/sh\nexec ${[process.execPath, ...entry].map(shellWord).join(' ')} "$@"\n`,
    0o755,
  );
  if (row.gitSettings !== undefined) await put(`${home}/.gitconfig`, row.gitSettings);
  /** What must still exist afterwards. */
  const before = {
    repository: await takeInventory(`${root}/.git`),
    remote: await takeInventory(remote),
    stories: (await loadOrThrow(await workspaceOf(root))).document.backlog.stories,
    /** The user's own untracked files, with their contents. */
    files: await contentsOf(root, Object.keys(OWN_FILES)),
    /** Files that state the requirements. */
    requirements: await contentsOf(root, REQUIREMENTS),
  };
  return { folder, root, remote, home, scenario, entry, before };
}

/** Path of a file → its content, as git would name it; a missing file is absent. */
export type Contents = ReadonlyMap<string, string>;

export async function contentsOf(root: string, paths: readonly string[]): Promise<Contents> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const bytes = await readBytes(`${root}/${path}`);
    if (bytes !== null) found.set(path, blobId(bytes));
  }
  return found;
}

async function put(path: string, text: string, mode?: number): Promise<void> {
  await writeAtomic(path, text, { fsync: false, ...(mode === undefined ? {} : { mode }) });
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Node arguments that start this very ralph: `bin/ralph.js` of the installation, or the source when run from it. */
async function ownEntry(): Promise<readonly string[]> {
  if (import.meta.url.endsWith('.ts')) {
    // A file URL: node resolves a bare --import from the working folder, which is another project.
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    return ['--import', tsx, fileURLToPath(new URL('../../main.ts', import.meta.url))];
  }
  return [`${await packageFolder()}/bin/ralph.js`];
}

/** The stories of the project, each with the check that proves it. */
export const CHECK_OF: Readonly<Record<string, string>> = { 'US-001': 'checks/sum.js', 'US-002': 'checks/greet.js' };

/** Text of `ralph/tasks.json`. Only US-001 meets misbehaviour, so US-002 shows whether the loop continues. */
function tasksOf(row: Row): object {
  const play = `This repository was made by \`ralph selftest\` and is thrown away. Play an agent that ${row.does}.`;
  return {
    project: 'shop',
    branchName: 'ralph/shop',
    description: 'A small shop',
    // A single process: the battery runs it some two hundred times.
    verifyCommands: ['node test/cheapest.test.js'],
    userStories: [
      {
        ...story('US-001', 'Add up prices', play),
        acceptanceCriteria: ['src/sum.js exports sum(prices)', 'sum([]) is 0', 'sum([250, 399]) is 649'],
        ...row.story,
      },
      {
        ...story('US-002', 'Greet a customer', 'As a customer I want to be greeted.'),
        acceptanceCriteria: ["greet('Ada') of src/greet.js is 'Hello, Ada!'", "greet('') is 'Hello!'"],
      },
    ],
  };
}

function story(id: string, title: string, description: string): object {
  return {
    id,
    title,
    description,
    priority: Number(id.slice(3)),
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
    verifyCommands: [`node ${CHECK_OF[id]}`],
  };
}

/** Text of `ralph.config.json`; a command of the user's gets their environment and knows which row it plays. */
function settingsOf(row: Row, agent: string | null): object {
  const command = {
    agent: 'command',
    command: { run: `RALPH_SELFTEST=${shellWord(row.name)}; export RALPH_SELFTEST; ${agent}` },
    env: { pass: ['*'] },
  };
  // This tests what the loop itself holds; `ralph sandbox status --deep` tests an isolation.
  const isolation = { backend: 'none' };
  return { isolation, transient: { retries: 1, delay: '10ms' }, ...row.config, ...(agent === null ? {} : command) };
}

export function workspaceOf(root: string): Promise<Workspace> {
  return findWorkspace({ root, cwd: root, flags: { ralphDir: 'ralph' }, env: {} });
}
