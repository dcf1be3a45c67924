import { loadOrThrow, readLedger } from '../adapters/workspace/index.ts';
import { type Config, type Problem, UsageError } from '../contracts/index.ts';
import { type BacklogDocument, modeOf, type Selection, select } from '../rules/backlog/index.ts';
import { checkCommands } from '../rules/judge/index.ts';
import { attemptsOf, type Estimate, estimate } from '../rules/safeguards/index.ts';
import { nearest } from '../rules/text/index.ts';
import { iterationPrompt } from './agent/prompt.ts';
import { findChecks, withChecks } from './evidence/found-checks.ts';
import type { RunPorts, RunRequest } from './ports.ts';
import { countStories, type StoryCounts } from './report/status.ts';

/** What a run would do first. */
export interface DryRun {
  readonly backlog: string;
  /** There is no backlog, only a prompt: stories and estimate are those of a pseudo story. */
  readonly lonePrompt: boolean;
  readonly warnings: readonly Problem[];
  readonly counts: StoryCounts;
  /** Where the run would work; null with `--no-branch`. */
  readonly branch: string | null;
  readonly selection: Selection;
  readonly attempt: number;
  readonly checks: readonly string[];
  readonly estimate: Estimate;
  /** null when no agent would be started. */
  readonly prompt: string | null;
}

/**
 * Validates, selects and renders the prompt. Starts no agent, takes no lock, writes nothing.
 * @param planned a backlog that is not written yet; null: the one of the workspace
 */
export async function dryRun(
  ports: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  request: RunRequest,
  planned: BacklogDocument | null = null,
): Promise<DryRun> {
  const { git, workspace } = ports;
  const { document, warnings } = planned ? { document: planned, warnings: [] } : await loadOrThrow(workspace);
  refuseUnknownStories(document, request);
  const { backlog } = document;
  const ledger = await readLedger(git.repo.stateDir);
  const selection = select(backlog.stories, {
    skipReview: config.skipReview,
    ...(request.only ? { only: request.only } : {}),
  });
  const work = selection.kind === 'work' || selection.kind === 'verify' ? selection : null;
  const counts = countStories(backlog.stories);
  const effective = withChecks(config, await findChecks(git.repo.root, config, backlog));
  const context = { ...ports, config: effective, ledger };
  return {
    backlog: document.file,
    lonePrompt: document.format === 'prompt',
    warnings,
    counts,
    branch: config.branch ? (backlog.branchName ?? `ralph/${workspace.name}`) : null,
    selection,
    attempt: work ? attemptsOf(ledger, work.story.id) + 1 : 0,
    checks: checkCommands(effective, backlog, work?.story ?? null),
    estimate: estimate({ storiesLeft: counts.total - counts.done, ledger, skipReview: config.skipReview }),
    prompt:
      work?.kind === 'work'
        ? (await iterationPrompt(context, { iteration: 1, mode: modeOf(work), story: work.story, document })).text
        : null,
  };
}

/** There is work to do, and the stories named on the command line exist. */
export function refuseUnknownStories({ backlog, file }: BacklogDocument, { only, until }: RunRequest): void {
  const ids = backlog.stories.map(({ id }) => id);
  if (ids.length === 0) {
    throw new UsageError({
      what: 'the backlog has no stories',
      where: file,
      fix: ['`ralph stories add "Title" -c "criterion"`, or write them into the file'],
    });
  }
  const unknown = [only, until].find((id) => id !== null && !ids.includes(id));
  if (unknown === undefined || unknown === null) return;
  const near = nearest(unknown, ids);
  throw new UsageError({
    what: `there is no story '${unknown}'`,
    where: file,
    fix: [near ? `did you mean ${near}?` : '`ralph stories` lists them'],
  });
}
