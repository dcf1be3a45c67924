import type { FleetFiles } from '../../adapters/git/fleet/port.ts';
import type { Git } from '../../adapters/git/port.ts';
import { writeFiles } from '../../adapters/workspace/backlog/document.ts';
import { adoptSteering, readSteering } from '../../adapters/workspace/records/steering-file.ts';
import { StateError } from '../../contracts/errors.ts';
import type { SteeringEntry } from '../../contracts/state/steering.ts';
import { readText, remove } from '../../platform/files/files.ts';
import { makePrivateDir, writePrivate } from '../../platform/files/private.ts';

/** What decides in a work tree's state folder (docs/architecture.md, State); the rest is rebuilt or belongs to one machine. */
const DECIDING = ['ledger.jsonl', 'run.json'] as const;
/** What people said: signed anew by each worker that takes it over, as its seal was looked at before. */
const SAID = 'steering.json';
/** The loop's files in the spec folder that the last commit does not hold: a turn that was rejected has none. */
const LOOSE = 'loose.json';

/**
 * Makes the state folder of a work tree, and the loop's files in it, those of the stream. What an earlier turn on this
 * machine left there was not pushed and counts for nothing, its journal included.
 * @throws StateError when the state names files outside of the work tree
 */
export async function restoreState(git: Git, files: FleetFiles): Promise<void> {
  const { root, stateDir } = git.repo;
  const loose = looseFiles(files[LOOSE]);
  await makePrivateDir(stateDir);
  await remove(`${stateDir}/journal`);
  for (const name of DECIDING) {
    const text = files[name];
    if (text === undefined) await remove(`${stateDir}/${name}`);
    else await writePrivate(`${stateDir}/${name}`, text);
  }
  await adoptSteering(stateDir, said(files[SAID]));
  await writeFiles(root, loose);
}

/** The state of a stream after a turn, for the next one, wherever that is taken. */
export async function collectState(git: Git, specDir: string): Promise<FleetFiles> {
  const { stateDir } = git.repo;
  const files: Record<string, string> = {};
  for (const name of DECIDING) {
    const text = await readText(`${stateDir}/${name}`);
    if (text !== null) files[name] = text;
  }
  const entries = await readSteering(stateDir);
  if (entries.length > 0) files[SAID] = `${JSON.stringify(entries)}\n`;
  const loose: Record<string, string | null> = {};
  const head = await git.resolve('HEAD');
  const tree = await git.tree();
  for (const { path } of head === null ? [] : await git.changes(head, tree)) {
    if (specDir !== '.' && !path.startsWith(`${specDir}/`)) continue;
    const bytes = await git.show(tree, path);
    loose[path] = bytes === null ? null : Buffer.from(bytes).toString('utf8');
  }
  if (Object.keys(loose).length > 0) files[LOOSE] = `${JSON.stringify(loose)}\n`;
  return files;
}

function said(text: string | undefined): readonly SteeringEntry[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly SteeringEntry[]);
}

function looseFiles(text: string | undefined): Readonly<Record<string, Uint8Array | null>> {
  if (text === undefined) return {};
  try {
    const entries = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>);
    return Object.fromEntries(
      entries.map(([path, content]) => [path, content === null ? null : Buffer.from(String(content), 'utf8')]),
    );
  } catch {
    throw new StateError({
      what: 'the state of the stream cannot be read',
      where: LOOSE,
      mend: ['use one version of ralph in the whole fleet, then: `ralph fleet retry`'],
    });
  }
}
