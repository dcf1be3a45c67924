import type { AgentAdapter, AgentControl } from '../adapters/agents/port.ts';
import { AGENT_ACTION } from '../adapters/git/head-log.ts';
import type { Checkpoint } from '../adapters/git/port.ts';
import { agentTempPrefix } from '../adapters/workspace/agent-temp.ts';
import { appendHookLog } from '../adapters/workspace/hooks/hook-logs.ts';
import { keepContextWindows, readContextWindows } from '../adapters/workspace/records/context-windows.ts';
import { writeJournal } from '../adapters/workspace/records/journal.ts';
import { NO_USAGE, type Story } from '../contracts/model.ts';
import type { AgentOutcome } from '../contracts/state/agent-outcome.ts';
import { type IterationHeader, JOURNAL_VERSION } from '../contracts/state/journal.ts';
import type { LedgerIteration } from '../contracts/state/ledger.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import { makeTempDir, remove } from '../platform/files/files.ts';
import { valueWithoutSecrets } from '../platform/secrets.ts';
import type { BacklogDocument } from '../rules/backlog/api.ts';
import { safeStoryId } from '../rules/backlog/ids.ts';
import { shortLine } from '../rules/printable.ts';
import { attemptsOf, iterationsUsed } from '../rules/safeguards/attempts.ts';
import { runAgent } from './agent/agent-step.ts';
import { knowLogins } from './agent/know-logins.ts';
import { modelFor } from './agent/model.ts';
import { iterationPrompt } from './agent/prompt.ts';
import { conclude } from './conclude.ts';
import type { RunContext } from './context.ts';
import { afterAgent, dropGuest } from './inside/guest.ts';
import { environmentFor } from './inside/inside.ts';
import { goneFolders } from './keep/gone-folders.ts';
import { takeIgnoredSpec } from './keep/ignored-spec.ts';
import { takePrecious } from './keep/precious.ts';
import { putBackAfterChecks, takeNames } from './keep/protected-names.ts';
import { type Snapshot, takeSnapshot } from './keep/snapshot.ts';
import { guardState } from './keep/state-guard.ts';
import { putTrustBack, takeTrust } from './keep/trust.ts';
import { settle } from './settle.ts';
import { personsTurn, refuseOtherBranch, refuseTurn, standAside } from './stand-aside.ts';
import { modeOf, type Work } from './work.ts';

/** The only lane until stories run in parallel; the journal has one file per lane. */
const LANE = 0;

/** One iteration's worth of work, and who does it. */
export interface Assignment {
  readonly iteration: number;
  /** As the backlog file holds it now; `work` was selected from it. */
  readonly document: BacklogDocument;
  readonly work: Work;
  readonly agent: AgentAdapter;
}

/** One agent process on one story in one mode, from checkpoint to commit or roll-back. */
export async function iterate(
  context: RunContext,
  { iteration, document, work, agent }: Assignment,
): Promise<LedgerIteration> {
  const { story } = work;
  const mode = modeOf(work);
  const { clock, git } = context;
  const { stateDir } = git.repo;
  const startedAt = clock.now();
  context.iterationStartedAt = startedAt;
  context.iterationNow = iteration;
  const { notes } = context.steering.now();
  const { maxIterations } = context.steering.limits();
  const attempt = attemptsOf(context.ledger, story.id) + 1;
  context.emit(iteration, {
    type: 'select',
    mode,
    story: story.id,
    title: story.title,
    attempt,
    reviewCount: story.reviewCount,
    used: iterationsUsed(context.ledger, context.run),
    limit: maxIterations,
  });

  await refuseTurn(context, iteration);
  // prompt and checkpoint, at the same time: the one only reads what the other leaves alone. A template that cannot be
  // used refuses the iteration before the journal has it; that is thrown once no git command is under way any more.
  const rendering =
    work.kind === 'verify'
      ? null
      : iterationPrompt(context, { iteration, mode, story, document, notes, maxIterations });
  rendering?.catch(() => undefined);
  const [snapshot, { ignored, ...taken }, trust, names] = await Promise.all([
    takeSnapshot(context, document),
    git.checkpoint(`lane-${LANE}`),
    takeTrust(context),
    takeNames(git.repo.root, context.workspace),
  ]);
  const checkpoint: Checkpoint = context.isolation.coversGitDir ? { ...taken, sealed: true } : taken;
  refuseOtherBranch(context, checkpoint);
  const [precious, spec, prompt] = await Promise.all([
    takePrecious(context, iteration, ignored),
    takeIgnoredSpec(context.workspace, ignored),
    rendering,
  ]);
  const header: IterationHeader = {
    version: JOURNAL_VERSION,
    run: context.run,
    iteration,
    lane: LANE,
    mode,
    story: story.id,
    attempt,
    startedAt,
    checkpoint,
    trust,
    names,
    ...(spec ? { spec } : {}),
    precious,
  };
  await writeJournal(stateDir, {
    ...header,
    phase: 'checkpointed',
    ...(prompt === null ? { calls: [] } : { agent: agent.name, calls: [startedAt] }),
  });
  context.emit(iteration, {
    type: 'checkpoint',
    head: checkpoint.head,
    tree: checkpoint.tree,
    durationMs: clock.now() - startedAt,
  });
  crashpoint('checkpointed');

  // agent
  const guard = await guardState(context);
  await knowLogins(context);
  const ended =
    prompt === null
      ? noAgent(context)
      : await runAtDesk(context, { header, checkpoint, snapshot, story, agent }, prompt);
  crashpoint('agent-stopped');
  await knowLogins(context);
  const stateChanges = await guard.putBack();
  // The agent's word enters here: notes, claims and messages, and with them journal, ledger, backlog and prompts.
  const asEnded: AgentOutcome = {
    ...valueWithoutSecrets(ended),
    ...(prompt !== null && notes.length > 0 ? { steers: notes.map(({ id }) => id) } : {}),
    gitDirChanges: [...stateChanges, ...(await putTrustBack(context, trust, checkpoint))],
  };
  const { excess, ...after } = await afterAgent(context, header, checkpoint);
  const saved = Object.entries(precious.files).flatMap(([path, { isSaved }]) => (isSaved ? [path] : []));
  const gone = await goneFolders(context, iteration, ignored, saved);
  const outcome: AgentOutcome = {
    ...asEnded,
    ...(excess.length > 0 ? { excess } : {}),
    ...(gone.length > 0 ? { gone } : {}),
  };
  await writeJournal(stateDir, { ...header, phase: 'agent-ended', outcome, afterTree: after.tree });
  crashpoint('agent-ended');
  const turn = await personsTurn(context, iteration, checkpoint, [after.head]);
  if (turn !== null) {
    const entry = { ...header, phase: 'agent-ended', outcome, afterTree: after.tree } as const;
    throw await standAside(context, entry, turn, after);
  }

  // settle
  const plan = await settle(context, { header, checkpoint, snapshot, outcome, after });
  crashpoint('settled');
  // Checks and commit hooks run what the agent wrote.
  for (const path of await guard.putBack()) {
    const text = `A check or a commit hook changed ${path}; it was put back.`;
    context.emit(iteration, { type: 'notice', level: 'warning', text });
  }
  await putBackAfterChecks(context, names, header, checkpoint);
  const planned = { ...header, phase: 'planned', plan } as const;
  await writeJournal(stateDir, planned);
  crashpoint('planned');

  // conclude, record
  await conclude(context, planned);
  await dropGuest(context, header);
  context.egress.flush();
  context.iterationNow = 0;
  context.iterationStartedAt = null;
  logUnfinished(context, plan.ledger);

  return plan.ledger;
}

/** For people and hooks: a story that this iteration did not bring on. Rebuildable, so that a full disk stops nobody. */
function logUnfinished(
  { git }: RunContext,
  { story, startedAt, durationMs, reason, stateChanged }: LedgerIteration,
): void {
  if (stateChanged) return;
  const epoch = Math.floor((startedAt + durationMs) / 1000);
  const line = `incomplete:${safeStoryId(story)}:${epoch}:${shortLine(reason, 300)}\n`;
  try {
    appendHookLog(git.repo.root, 'sessions.log', line);
  } catch {
    return;
  }
}

interface Start {
  readonly header: IterationHeader;
  readonly checkpoint: Checkpoint;
  readonly snapshot: Snapshot;
  readonly story: Story;
  readonly agent: AgentAdapter;
}

/** The agent at work, with a desk beside it that decides about its hooks and takes its tool calls. */
async function runAtDesk(context: RunContext, start: Start, prompt: string): Promise<AgentOutcome> {
  const { control, git } = context;
  const { agent } = start;
  const windows = await readContextWindows(git.repo.root);
  // Guard and verdicts are large, and only a run with an agent needs them.
  const { openDesk } = await import('./desk/open.ts');
  const { deskSpool } = await import('./desk/spooled.ts');
  const input = { ...start, windows };
  const desk = openDesk(context, input);
  const { token, revoke } = control.admit(desk);
  const spool = await deskSpool(context, input);
  try {
    const access = { url: control.url, token, ...(spool ? { spool: spool.dir } : {}) };
    const outcome = await runWithPrompt(context, input, prompt, access, () => desk.record().claim !== null);
    await desk.settled();
    await spool?.deliver(desk);
    const record = desk.record();
    if (agent.capabilities.hooks && outcome.result.ok && !record.hooked) {
      const text = `Not one hook of ${agent.name} was called: nothing was enforced while it worked.`;
      const mend = 'its work is judged when it has ended, as always; look for a proxy or an old version of the agent';
      context.emit(start.header.iteration, { type: 'notice', level: 'warning', text, mend });
    }
    // Rebuildable: a deleted .ralph/ or a full disk must not cost the iteration.
    await keepContextWindows(git.repo.root, { ...windows, ...outcome.result.windows }).catch(() => undefined);
    return { ...outcome, desk: record };
  } finally {
    revoke();
    await spool?.remove();
  }
}

async function runWithPrompt(
  context: RunContext,
  { header, checkpoint, story, agent, windows }: Start & { readonly windows: Readonly<Record<string, number>> },
  prompt: string,
  control: AgentControl,
  hasClaimed: () => boolean,
): Promise<AgentOutcome> {
  const { config, git, run } = context;
  const { iteration, mode, attempt } = header;
  const model = modelFor({ config, agent: agent.name, mode, story, attempt });
  const tempDir = await makeTempDir(agentTempPrefix(run));
  try {
    const task = {
      prompt,
      cwd: git.repo.root,
      run,
      iteration,
      mode,
      storyId: story.id,
      attempt,
      reviewCount: story.reviewCount,
    };
    return await runAgent(context, {
      agent,
      header,
      checkpoint,
      hasClaimed,
      windows,
      task: {
        ...task,
        model,
        env: { ...environmentFor(context, [agent]), ...git.identity, ...markOfAgent(context) },
        tempDir,
        config,
        control,
        isolation: context.isolation.name,
      },
    });
  } finally {
    await remove(tempDir);
  }
}

/** In the person's own git dir it must be known afterwards what of the log of HEAD was an agent's. */
function markOfAgent({ isolation }: RunContext): Readonly<Record<string, string>> {
  return isolation.coversGitDir ? {} : { GIT_REFLOG_ACTION: AGENT_ACTION };
}

/** The outcome of an iteration that starts nobody. */
function noAgent({ clock }: RunContext): AgentOutcome {
  const now = clock.now();
  const nobody = {
    exitCode: 0,
    signal: null,
    ok: true,
    text: '',
    usage: NO_USAGE,
    costUsd: null,
    turns: null,
    sessionId: null,
  };
  return {
    result: { ...nobody, limit: null, error: null },
    stopped: null,
    startedAt: now,
    endedAt: now,
    calls: [],
    verifyOnly: true,
  };
}
