import { ensureStateFolder, loadOrThrow, tryStateFolder, writeFiles } from '../adapters/workspace/index.ts';
import { UsageError } from '../contracts/index.ts';
import { exists } from '../platform/index.ts';
import type { BacklogDocument } from '../rules/backlog/index.ts';
import { bookkeepingMessage } from '../rules/judge/index.ts';
import { initialProgress } from '../rules/progress.ts';
import { shellWord } from '../rules/text/index.ts';
import { streamPlace } from '../rules/view/index.ts';
import { iterationPrompt } from './agent/prompt.ts';
import type { RunContext } from './context.ts';
import { refuseUnknownStories } from './dry-run.ts';
import { hookRunner } from './inside/inside.ts';
import { isUnder, ridesAlong, specPaths } from './protect/loop-files.ts';
import { isIgnored, readProgress, saveIgnoredSpec, stopTrackingSpec } from './protect/snapshot.ts';

/**
 * Brings the repository into a state in which a run may start, or refuses with the possible fixes: no operation under
 * way, no uncommitted work of the user in the way, on the backlog's branch, spec folder committed. Returns the backlog
 * on that branch.
 */
export async function prepareRepository(context: RunContext): Promise<BacklogDocument> {
  const { git, config, workspace } = context;
  await git.refuseOperationsUnderWay();
  await tryStateFolder(git.repo.root);
  await git.refuseUncheckable();
  if (config.commit.sign) await refuseUnsigned(context);
  await settleDirt(context);
  const { document } = await loadOrThrow(workspace);
  refuseUnknownStories(document, context.request);
  await refuseUnusableTemplate(context, document);
  if (config.branch) await switchBranch(context, document);
  const reread = await loadOrThrow(workspace);
  for (const warning of reread.warnings) {
    context.emit(0, {
      type: 'notice',
      level: 'warning',
      text: `${warning.file}:${warning.line}: ${warning.message}`,
      fix: warning.fix,
    });
  }
  for (const text of await ensureStateFolder(git.repo)) context.emit(0, { type: 'notice', level: 'warning', text });
  await ensureProgressLog(context);
  await commitBookkeeping(context, START);
  return reread.document;
}

/** Makes a commit that no ref will have. @throws BrokenRepository where none can be signed, before an agent works */
async function refuseUnsigned({ git, clock }: Pick<RunContext, 'git' | 'clock'>): Promise<void> {
  const what = { tree: 'HEAD^{tree}', parents: ['HEAD'], subject: 'a signature', body: '', trailers: [] };
  await git.commitTree({ ...what, sign: true, date: clock.now() });
}

/** @throws FileProblemsError before anything has been done; the actual prompt is rendered again for each iteration. */
async function refuseUnusableTemplate(context: RunContext, document: BacklogDocument): Promise<void> {
  const [story] = document.backlog.stories;
  if (story) await iterationPrompt(context, { iteration: 1, mode: 'implement', story, document });
}

/** Agents are told to read the log first and to append to it, so it must exist. */
async function ensureProgressLog({ git, workspace }: Pick<RunContext, 'git' | 'workspace'>): Promise<void> {
  const { progressPath } = workspace;
  const { text, why } = await readProgress(workspace);
  if (text !== null) return;
  if (why !== null) {
    throw new UsageError({
      what: 'the progress log cannot be used',
      where: progressPath,
      why: `the file ${why}`,
      fix: [`put it back: \`git checkout -- ${shellWord(progressPath)}\``, 'or remove it: ralph creates a new one'],
    });
  }
  await writeFiles(git.repo.root, { [progressPath]: initialProgress(workspace.name) });
}

async function settleDirt(context: RunContext): Promise<void> {
  const { git, config, workspace } = context;
  if (config.dirty === 'keep') return;
  const exempt = specPaths(workspace);
  if (config.dirty === 'stash') {
    const returnCommand = await git.stash(`ralph run ${context.run}`, exempt);
    if (returnCommand)
      context.emit(0, {
        type: 'notice',
        level: 'warning',
        text: 'Your uncommitted changes were stashed.',
        fix: `get them back with: ${returnCommand}`,
      });
    return;
  }
  const { tracked } = await git.dirty(exempt);
  if (tracked.length === 0) return;
  const shown = tracked.slice(0, 10).join(', ') + (tracked.length > 10 ? ` and ${tracked.length - 10} more` : '');
  throw new UsageError({
    what: `${tracked.length} tracked ${tracked.length === 1 ? 'file has' : 'files have'} uncommitted changes`,
    where: shown,
    why: 'a run commits and rolls back in this work tree, and must not mix your changes into its commits',
    fix: [
      ...((await exists(`${git.repo.stateDir}/advance`))
        ? ['a merge was cut off while it wrote them: the same command again (`ralph finish`) finishes it']
        : []),
      'commit them: git commit -a',
      'the same command with --worktree      works in a separate worktree instead',
      'the same command with --dirty=stash   stashes them and prints how to get them back',
      'the same command with --dirty=keep    keeps them in place; if the agent changes the same file, your lines are committed, too',
    ],
  });
}

/** The backlog's branch, or `ralph/<workspace>`; never the default branch by accident. */
function branchOf({ workspace }: Pick<RunContext, 'workspace'>, { backlog }: BacklogDocument): string {
  return backlog.branchName ?? `ralph/${workspace.name}`;
}

/** Whether the work tree is still where a turn left it. */
export async function isOnItsBranch(context: RunContext, document: BacklogDocument): Promise<boolean> {
  return !context.config.branch || (await context.git.currentBranch()) === branchOf(context, document);
}

async function switchBranch(context: RunContext, document: BacklogDocument): Promise<void> {
  const { git, workspace } = context;
  const target = branchOf(context, document);
  const current = await git.currentBranch();
  if (current === target) return;
  const { created, from } = await git.switchTo(target);
  const text = created ? `Created branch ${target} from ${from ?? 'this commit'}.` : `Switched to branch ${target}.`;
  context.emit(0, { type: 'notice', level: 'info', text });
  if (await exists(`${git.repo.root}/${document.file}`)) return;
  if ((await git.restoreSpec(workspace.specDir)).includes(document.file)) return;
  throw new UsageError({
    what: `the backlog names the branch ${target}, but that branch does not contain it`,
    where: document.file,
    fix: [
      `copy it there: git checkout ${from === null ? '<branch>' : shellWord(from)} -- ${shellWord(workspace.specDir)}`,
      'or change branchName in the backlog',
      'or stay on this branch: ralph run --no-branch',
    ],
  });
}

/** Title of the commit before the first iteration. */
const START = 'start of a run';

/**
 * One commit of the uncommitted files in the spec folder; none when there are none, or when all of them can wait for
 * the first commit of an iteration. It carries no work, so the user's commit hooks do not run.
 */
export async function commitBookkeeping(context: RunContext, title: string): Promise<void> {
  const { git, config, workspace, clock, run } = context;
  // No agent is at work: the git dir holds only a person's changes.
  const { ignored, ...taken } = await git.checkpoint('bookkeeping');
  const checkpoint = { ...taken, sealed: true } as const;
  const spec = specPaths(workspace);
  const { backlog } = workspace;
  const wasIgnored = backlog !== null && isIgnored(backlog.path, ignored);
  const isForgotten = !wasIgnored && title === START && (await stopTrackingSpec(context, checkpoint));
  if (wasIgnored || isForgotten) await saveIgnoredSpec(context);
  if (title === START && backlog && (wasIgnored || isForgotten)) {
    const text = `Git ignores ${backlog.path}: the state of the stories is not committed; a copy is kept at refs/ralph/spec.`;
    const fix = 'to commit it, remove it from .gitignore';
    context.emit(0, { type: 'notice', level: 'info', text, fix });
  }
  // Its files were in the checkpoint.
  if (isForgotten) return;
  const changed = (await git.changes(checkpoint.head, checkpoint.tree))
    .map(({ path }) => path)
    .filter((path) => isUnder(spec, path));
  if (changed.length === 0) return;
  // A merge of a stream compares a spec folder that is uncommitted elsewhere with what the stream began from. And commits
  // of an agent that are to stay would contain what it may not change.
  const canWait = title === START && streamPlace(git.repo.root) === null && config.commits !== 'keep';
  if (canWait && changed.every((path) => ridesAlong(workspace, path))) return;
  const message = bookkeepingMessage(config, run, title);
  const request = {
    checkpoint,
    paths: changed,
    files: {},
    ...message,
    date: clock.now(),
    hooks: false,
    runHook: hookRunner(context),
    guestHooks: false,
    sign: config.commit.sign,
  };
  const prepared = await git.prepareCommit(request);
  if (prepared.kind !== 'prepared') return;
  const applied = await git.applyCommit({ checkpoint, commit: prepared.commit, agentHead: checkpoint.head });
  if (applied === 'moved-by-someone') return;
  context.emit(0, {
    type: 'commit',
    commit: prepared.commit,
    subject: message.subject,
    files: prepared.files,
    agentCommits: null,
  });
}
