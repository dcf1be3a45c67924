import type { Checkpoint } from '../../adapters/git/index.ts';
import { bookkeepingMessage } from '../../rules/judge/index.ts';
import { streamPlace } from '../../rules/view/index.ts';
import type { RunContext } from '../context.ts';
import { hookRunner } from '../inside/inside.ts';
import { isUnder, loopFiles, specPaths } from './loop-files.ts';

/**
 * A spec folder that an ignore rule names is in no commit, even where git tracked it before the rule was there: git
 * forgets it then. The files stay.
 * @returns whether a rule names it
 */
export async function stopTrackingSpec(context: RunContext, checkpoint: Checkpoint): Promise<boolean> {
  const { git, config, workspace, clock, run } = context;
  const { backlog } = workspace;
  if (backlog === null || (await git.namedByRules([backlog.path])).length === 0) return false;
  const spec = specPaths(workspace);
  const known = new Set([...(await git.paths(checkpoint.head)), ...(await git.paths(checkpoint.tree))]);
  const paths = await git.namedByRules([...known].filter((path) => isUnder(spec, path)));
  if (paths.length === 0) return true;
  const message = bookkeepingMessage(config, run, `stop tracking ${workspace.specDir}, which git ignores`);
  const made = await git.prepareCommit({
    checkpoint,
    paths: [],
    files: Object.fromEntries(paths.map((path) => [path, null])),
    ...message,
    date: clock.now(),
    hooks: false,
    runHook: hookRunner(context),
    guestHooks: false,
    sign: config.commit.sign,
  });
  if (made.kind === 'prepared') await git.applyCommit({ checkpoint, commit: made.commit, agentHead: checkpoint.head });
  await git.leaveUntracked(paths);
  return true;
}

/** Keeps the state of an ignored spec folder in the git dir. A lane's goes into that of the run when it lands. */
export async function saveIgnoredSpec({ git, workspace }: Pick<RunContext, 'git' | 'workspace'>): Promise<void> {
  if (streamPlace(git.repo.root)?.lane) return;
  const { prdPath, promptPath } = workspace;
  await git.saveSpec([...new Set([...loopFiles(workspace), prdPath, promptPath])]);
}
