import { COMPLETE_FILE } from '../adapters/plugins/index.ts';
import {
  appendLedger,
  closeStateFolder,
  dropOldRuns,
  ensureMarkerExcluded,
  isCutOff,
  loadOrThrow,
  readArchiveJournal,
  rememberRun,
  trustedUnseen,
} from '../adapters/workspace/index.ts';
import { EVENTS_VERSION, LEDGER_VERSION, messageOf, UsageError } from '../contracts/index.ts';
import { crashpoint, leftOutOfEnvironment, ownOutputFiles } from '../platform/index.ts';
import type { BacklogDocument } from '../rules/backlog/index.ts';
import { breakerOf, recentCalls } from '../rules/safeguards/index.ts';
import { shellWord } from '../rules/text/index.ts';
import { streamPlace } from '../rules/view/index.ts';
import { reviewersOf, workersOf } from './agent/candidates.ts';
import { proveLogin } from './agent/prove-login.ts';
import { type RunContext, saveRecord } from './context.ts';
import type { StartFacts, StartNotice } from './ports.ts';
import { recover } from './recover.ts';
import { countStories } from './report/status.ts';
import { isOnItsBranch, prepareRepository } from './start.ts';

interface Start extends StartFacts {
  readonly resumed: boolean;
  readonly openEvents: () => Promise<void>;
}

/**
 * From the lock to the first selection: recovery, preparing the repository, recording and announcing the run. A turn
 * that continues where this process ended the previous one finds all of that done, unless the branch has changed since.
 * @returns the backlog on the branch of the run
 */
export async function begin(context: RunContext, start: Start): Promise<BacklogDocument> {
  const { git, workspace, continues } = context;
  const { commonDir, stateDir } = git.repo;
  await closeStateFolder(git.repo.root);
  await ensureMarkerExcluded(commonDir, [`/${COMPLETE_FILE}`, ...start.planted]);
  await refuseCutOffArchive(stateDir);
  await leaveOutOwnOutput(context);
  await recover(context);
  // After recovery: it has put back what an interrupted agent did to the plugins.
  await context.plugins.open();
  if (context.request.resetCircuit) await closeBreaker(context);
  if (!continues && !start.resumed) await proveLogin(context);
  const found = continues ? (await loadOrThrow(workspace)).document : null;
  const document = found && (await isOnItsBranch(context, found)) ? found : await prepareRepository(context);
  await rememberRun(stateDir, context.run);
  await start.openEvents();
  await saveRecord(context);
  crashpoint('run-started');
  if (!continues) {
    await dropOld(context);
    await announceStart(context, start, document);
  }
  context.showBacklog(document.backlog);
  if (!continues)
    for (const notice of [...start.notices, ...startNotices()]) context.emit(0, { type: 'notice', ...notice });
  return document;
}

/**
 * Parts of the person's environment that lie in the work tree and are not used, and what was trusted without review.
 */
function startNotices(): readonly StartNotice[] {
  const [left, unseen] = [leftOutOfEnvironment(), trustedUnseen()];
  const text = `Not searched for programs, because agents can write there: ${left.join(', ')}.`;
  const fix = 'ralph runs only programs outside the work tree';
  return [
    ...(left.length === 0 ? [] : [{ level: 'info', text, fix } as const]),
    ...(unseen.length === 0
      ? []
      : [{ level: 'info', text: `Trusted without asking (--trust or RALPH_TRUST): ${unseen.join(', ')}.` } as const]),
  ];
}

async function announceStart(context: RunContext, start: Start, { backlog, file }: BacklogDocument): Promise<void> {
  const { git, config, workspace, isolation, steering } = context;
  context.emit(0, {
    type: 'run-start',
    version: EVENTS_VERSION,
    ralph: start.version,
    resumed: start.resumed,
    specDir: workspace.specDir,
    backlog: file,
    agent: agentsLine(context),
    model: config.model,
    isolation: isolation.name,
    ...(start.isolationInstead.length > 0 ? { isolationInstead: start.isolationInstead } : {}),
    branch: await git.currentBranch(),
    ownTree: streamPlace(git.repo.root) !== null,
    maxIterations: steering.limits().maxIterations,
    stories: countStories(backlog.stories),
    pid: context.record.pid,
    limits: steering.limits(),
    recentCalls: recentCalls(context.ledger, context.clock.now()),
    breaker: breakerOf(context.ledger, config.circuit).state,
    ...(backlog.format === 'prompt' ? { lonePrompt: true as const } : {}),
  });
}

/** `claude, codex`, or `claude; reviews: codex`. */
function agentsLine(context: RunContext): string {
  const names = (agents: RunContext['agents']) => agents.map(({ name }) => name).join(', ');
  const reviews = context.config.review.agents === null ? '' : `; reviews: ${names(reviewersOf(context))}`;
  return `${names(workersOf(context))}${reviews}`;
}

/** Deletes events and logs of old runs; a file that cannot be deleted does not stop the run. */
async function dropOld({ git, config, run, emit }: Pick<RunContext, 'git' | 'config' | 'run' | 'emit'>): Promise<void> {
  try {
    await dropOldRuns(git.repo.root, config.runs.keep, new Set([run]));
  } catch (error) {
    emit(0, { type: 'notice', level: 'warning', text: `Old runs could not be deleted: ${messageOf(error)}.` });
  }
}

/**
 * A cut-off archive may have begun to renew the spec folder: a run on that would continue neither the old loop nor the
 * next.
 */
async function refuseCutOffArchive(stateDir: string): Promise<void> {
  const journal = await readArchiveJournal(stateDir);
  if (journal === null) return;
  throw new UsageError({
    what: 'an archive was cut off',
    where: journal.folder,
    why: 'the stories of the finished loop are not archived yet',
    fix: ['`ralph archive` finishes it'],
  });
}

/** A run that prints into its own work tree must neither commit nor put back its own output. */
async function leaveOutOwnOutput({ git, emit }: Pick<RunContext, 'git' | 'emit'>): Promise<void> {
  const { tracked } = await git.leaveOut(ownOutputFiles(), await isCutOff(git.repo.stateDir));
  if (tracked.length === 0) return;
  emit(0, {
    type: 'notice',
    level: 'warning',
    text: `The output of this run goes into ${tracked.join(', ')}, which git tracks: it counts as a change by the agent, and a rollback undoes it.`,
    fix: `write it elsewhere, or stop tracking it: git rm --cached -- ${tracked.map(shellWord).join(' ')}`,
  });
}

/** Does what `ralph circuit reset` does. */
async function closeBreaker({
  ledger,
  git,
  clock,
  config,
}: Pick<RunContext, 'ledger' | 'git' | 'clock' | 'config'>): Promise<void> {
  if (breakerOf(ledger, config.circuit).state === 'closed') return;
  const line = { version: LEDGER_VERSION, kind: 'circuit-reset', at: clock.now() } as const;
  await appendLedger(git.repo.stateDir, line);
  ledger.push(line);
}
