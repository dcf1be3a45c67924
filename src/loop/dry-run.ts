import { loadOrThrow } from '../adapters/workspace/backlog/document.ts';
import { readLedger } from '../adapters/workspace/records/ledger.ts';
import type { Config } from '../contracts/config.ts';
import type { Problem } from '../contracts/model.ts';
import type { Selection } from '../rules/backlog/api.ts';
import { select } from '../rules/backlog/select.ts';
import { attemptsOf } from '../rules/safeguards/attempts.ts';
import { type Estimate, estimate } from '../rules/safeguards/estimate.ts';
import { iterationPrompt } from './agent/prompt.ts';
import type { RunPorts, RunRequest } from './context.ts';
import { checkCommands } from './judge/check-commands.ts';
import { findChecks, withChecks } from './judge/found-checks.ts';
import { countStories, type StoryCounts } from './tell/count-stories.ts';
import { refuseUnknownStories } from './unknown-stories.ts';
import { modeOf } from './work.ts';

/** What a run would do first. */
export interface DryRun {
  readonly backlog: string;
  /** There is no backlog, but a prompt: stories and estimate are those of a pseudo story. */
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

/** Validates, selects and renders the prompt. Starts no agent, takes no lock, writes nothing. */
export async function dryRun(
  ports: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  request: RunRequest,
): Promise<DryRun> {
  const { git, workspace } = ports;
  const { document, warnings } = await loadOrThrow(workspace);
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
        ? await iterationPrompt(context, { iteration: 1, mode: modeOf(work), story: work.story, document })
        : null,
  };
}
