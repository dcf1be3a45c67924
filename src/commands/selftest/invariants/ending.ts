import { takeInventory } from '../../../adapters/git/inventory.ts';
import { readDocument } from '../../../adapters/workspace/backlog/document.ts';
import { exists } from '../../../platform/files/files.ts';
import { isDone } from '../../../rules/backlog/select.ts';
import type { Played } from '../play.ts';
import { contentsOf, type Project } from '../project.ts';
import type { Expectation } from '../rows/row.ts';
import { workspaceOf } from '../workspace.ts';

/** Where the run of a scripted agent ended differently than it must. */
export async function wrongEnd(
  { home, root, before }: Project,
  played: Played,
  expected: Expectation,
): Promise<readonly string[]> {
  const made: string[] = [];
  for (const path of expected.neverMade ?? []) if (await exists(`${home}/${path}`)) made.push(path);
  const { refs } = expected.refs ? await takeInventory(`${root}/.git`) : { refs: new Map<string, string>() };
  const gone = (expected.refs ?? []).filter((name) => !refs.has(name));
  const left: string[] = [];
  for (const path of expected.neverLeft ?? []) if (await exists(`${root}/${path}`)) left.push(path);
  const own = expected.keepsOwnFiles ? await contentsOf(root, [...before.files.keys()]) : before.files;
  const lost = [...before.files].flatMap(([path, id]) => (own.get(path) === id ? [] : [path]));
  return [
    ...judgeEnd(played, expected),
    ...lost.map((path) => `${path} of the user is not in the work tree as it was`),
    ...made.map((path) => `${path} came into being: something planted has run`),
    ...gone.map((name) => `${name} is gone`),
    ...left.map((path) => `${path} is still there`),
  ];
}

/** The same without what is on the disk. Pure. */
export function judgeEnd(played: Played, expected: Expectation): readonly string[] {
  const { exitCode, reason, verdicts, events } = played;
  const seen = new Set(events.map(({ type }) => type));
  return [
    ...(exitCode === expected.exitCode ? [] : [`exit ${exitCode} instead of ${expected.exitCode}`]),
    ...(reason === expected.reason ? [] : [`ended with ${reason} instead of ${expected.reason}`]),
    ...(verdicts.join() === expected.verdicts.join()
      ? []
      : [`verdicts ${verdicts.join(', ') || 'none'} instead of ${expected.verdicts.join(', ')}`]),
    ...(expected.events ?? []).filter((type) => !seen.has(type)).map((type) => `no event ${type}`),
    ...(expected.noEvents ?? []).filter((type) => seen.has(type)).map((type) => `an event ${type}`),
  ];
}

/** Where the run of an agent that may do anything ended with an exit code that does not fit what it left. */
export async function unfitEnd({ root }: Project, { exitCode }: Played): Promise<readonly string[]> {
  const { document } = await readDocument(await workspaceOf(root));
  if (document === null) return [];
  const left = document.backlog.stories.filter((story) => !isDone(story));
  return judgeFit(exitCode, {
    left: left.length,
    workable: left.filter(({ blocked }) => blocked === undefined).length,
  });
}

/** Exit codes of a run that began, with what they say about the stories. Pure. */
export function judgeFit(
  exitCode: number | null,
  { left, workable }: { readonly left: number; readonly workable: number },
): readonly string[] {
  switch (exitCode) {
    case 0:
      return left === 0 ? [] : [`exit 0, but ${left} stories are not done`];
    case 6:
      return left > 0 && workable === 0 ? [] : [`exit 6, but ${workable} stories are not blocked`];
    case 1:
    case 3:
    case 5:
    case 7:
      return left > 0 ? [] : [`exit ${exitCode}, but every story is done`];
    default:
      return [`exit ${exitCode}, which no agent may bring about`];
  }
}
