import type { Git } from '../adapters/git/index.ts';
import { isCutOff } from '../adapters/workspace/index.ts';
import { type Story, UsageError } from '../contracts/index.ts';
import { systemClock } from '../platform/index.ts';
import { counted, oneLine } from '../rules/text/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { carryOut, finishCutOff, type Proposal, propose } from './archive/carry-out.ts';
import { isOn, type RawFlags, textOf } from './shared/flags.ts';
import { configOf, openProject, withRunLock, workspaceIn } from './shared/open.ts';
import { printResult } from './shared/print.ts';

export async function archive(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io, { toRun: true });
  return withRunLock(git.repo.stateDir, 'ralph archive', async () => {
    const dryRun = isOn(flags, 'dryRun');
    await git.refuseOperationsUnderWay();
    await refuseCutOffRun(git);
    const finished = dryRun ? null : await finishCutOff(git);
    if (finished?.commit) {
      return printResult(io, flags, finished, [`finished an interrupted archive: ${finished.folder}`]);
    }
    if (finished) {
      io.stderr.write(
        `ralph: an archive was interrupted and the stories changed since; its copies stay in ${finished.folder}\n`,
      );
    }
    const now = systemClock.now();
    const proposal = await propose(git, await workspaceIn(git, flags, io), { label: textOf(flags, 'label'), now });
    if (proposal.open.length > 0 && !isOn(flags, 'force')) throw stillOpen(proposal.open);
    const { config } = await configOf(git, io);
    const commit = dryRun ? null : await carryOut(git, config, proposal, now);
    const archived = resultOf(proposal, commit);
    return printResult(io, flags, archived, renderArchived(archived));
  });
}

/** Refuses while an interrupted run waits: its recovery would write the old backlog over the new one. */
async function refuseCutOffRun({ repo }: Git): Promise<void> {
  if (!(await isCutOff(repo.stateDir))) return;
  throw new UsageError({
    what: 'the last run was cut off in the middle of an iteration',
    where: repo.stateDir,
    why: "the agent's work is not judged yet, and would be missing from the archive",
    fix: ['`ralph run` recovers it', '`ralph run --max-iterations 1`, then archive'],
  });
}

function stillOpen(open: readonly Story[]): UsageError {
  const shown = open.slice(0, 10).map(({ id, title }) => oneLine(`${id} ${title}`));
  const more = open.length - shown.length;
  return new UsageError({
    what: `${counted(open.length, 'story is', 'stories are')} still open`,
    where: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
    why: 'only a finished loop can be archived',
    fix: ['`ralph run` continues with them', '`ralph archive --force` archives them unfinished'],
  });
}

/** Paths are relative to the work tree. @param commit null in a dry run */
function resultOf({ folder, stories, open, copies, renewed }: Proposal, commit: string | null) {
  const paths = Object.entries(renewed);
  return {
    folder,
    commit,
    stories: stories.length,
    done: stories.length - open.length,
    open: open.map(({ id }) => id),
    archived: [...Object.keys(copies), `${folder}/summary.md`],
    renewed: paths.flatMap(([path, text]) => (text === null ? [] : [path])),
    removed: paths.flatMap(([path, text]) => (text === null ? [path] : [])),
  };
}

function renderArchived(result: ReturnType<typeof resultOf>): readonly string[] {
  const { folder, commit, stories, done, archived, renewed, removed } = result;
  const would = commit === null ? 'would archive' : 'archived';
  return [
    ...archived.map((path) => `${would}  ${oneLine(path)}`),
    ...renewed.map((path) => `${commit === null ? 'would reset' : 'reset'}  ${oneLine(path)}`),
    ...removed.map((path) => `${commit === null ? 'would remove' : 'removed'}  ${oneLine(path)}`),
    '',
    `${done} of ${counted(stories, 'story', 'stories')} done${commit === null ? '' : `, in commit ${commit.slice(0, 7)}`}`,
    ...(commit === null
      ? []
      : [
          '',
          'Next:',
          `  1. read the summary: ${oneLine(folder)}/summary.md`,
          '  2. plan the next loop: ralph plan, or ralph import',
          '  3. name its branch: branchName in the backlog',
        ]),
  ];
}
