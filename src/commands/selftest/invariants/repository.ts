import { takeInventory } from '../../../adapters/git/inventory.ts';
import { readDocument } from '../../../adapters/workspace/backlog/document.ts';
import type { Story } from '../../../contracts/model.ts';
import { exists } from '../../../platform/files/files.ts';
import { tryLock } from '../../../platform/lock/lock.ts';
import { hostName, processId } from '../../../platform/process/process-facts.ts';
import { type Contents, contentsOf, type Project } from '../project.ts';
import { workspaceOf } from '../workspace.ts';

/** The next run can begin: the lock is free, backlog and repository are whole; and nothing was pushed. */
export async function damage(project: Project): Promise<readonly string[]> {
  const { root, remote, before } = project;
  const { document, problems } = await readDocument(await workspaceOf(root));
  return [
    ...(await lockLeft(root)),
    ...problems.filter(({ severity }) => severity === 'error').map(({ message }) => `the backlog: ${message}`),
    ...changedFiles(before.requirements, await contentsOf(root, [...before.requirements.keys()])),
    ...(document === null ? [] : changedRequirements(before.stories, document.backlog.stories)),
    ...(await takeInventory(`${root}/.git`)).faults.map((fault) => `git fsck: ${fault}`),
    ...movedRefs(before.remote.refs, (await takeInventory(remote)).refs),
    ...((await exists(`${root}/.ralph-active`)) ? ['the marker of a live run is still there'] : []),
  ];
}

async function lockLeft(root: string): Promise<readonly string[]> {
  const holder = { pid: processId(), host: hostName(), startedAt: new Date().toISOString(), run: 'selftest' };
  const lock = await tryLock(`${root}/.git/ralph/lock`, holder);
  if ('heldBy' in lock) return ['the lock is still held'];
  await lock.release();
  return [];
}

/** Files that are gone or hold something else. Pure. */
function changedFiles(before: Contents, now: Contents): readonly string[] {
  return [...before].filter(([path, id]) => now.get(path) !== id).map(([path]) => `${path} was changed`);
}

/** What people ask for, as far as no agent may change it. */
type Requirement = Pick<Story, 'id' | 'title' | 'description' | 'acceptanceCriteria' | 'verifyCommands'>;

/** Stories that are gone or ask for something else. Pure. */
function changedRequirements(before: readonly Requirement[], after: readonly Requirement[]): readonly string[] {
  return before.flatMap((story) => {
    const now = after.find(({ id }) => id === story.id);
    if (now === undefined) return [`story ${story.id} is gone`];
    return asked(now) === asked(story) ? [] : [`story ${story.id} asks for something else`];
  });
}

function asked({ title, description, acceptanceCriteria, verifyCommands = [] }: Requirement): string {
  return JSON.stringify([title, description, acceptanceCriteria, verifyCommands]);
}

/** Refs of the remote that are not what they were. Pure. */
function movedRefs(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).map((name) => `${name} was pushed`);
}
