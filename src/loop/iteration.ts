import type { AgentAdapter, AgentControl } from '../adapters/agents/index.ts';
import { AGENT_ACTION, type Checkpoint, type TrustSnapshot } from '../adapters/git/index.ts';
import {
  agentTempPrefix,
  appendHookLog,
  keepContextWindows,
  readContextWindows,
  writeJournal,
} from '../adapters/workspace/index.ts';
import {
  type AgentOutcome,
  type IterationHeader,
  JOURNAL_VERSION,
  type LedgerIteration,
  NO_USAGE,
  type Plan,
  type PreciousFiles,
  type ProtectedNames,
  type Story,
} from '../contracts/index.ts';
import { crashpoint, makeTempDir, remove, valueWithoutSecrets } from '../platform/index.ts';
import { type BacklogDocument, modeOf, type Selection, safeStoryId } from '../rules/backlog/index.ts';
import { judgeIteration, type Snapshot } from '../rules/judge/index.ts';
import { addedBy, type Prompt } from '../rules/prompt/index.ts';
import { attemptsOf, iterationsUsed } from '../rules/safeguards/index.ts';
import { shortLine } from '../rules/text/index.ts';
import { runAgent, type Tries } from './agent/agent-step.ts';
import { knowLogins } from './agent/know-logins.ts';
import { modelFor } from './agent/model.ts';
import { iterationPrompt } from './agent/prompt.ts';
import { apply } from './apply.ts';
import { giveWayToUser, refuseOtherBranch, refuseTurn, userIntervention } from './close.ts';
import { type Ended, type RunContext, saveRecord } from './context.ts';
import { gather } from './evidence/gather.ts';
import { AGENT_DIR } from './inside/guest.ts';
import { environmentFor } from './inside/inside.ts';
import { prepare } from './prepare.ts';
import { goneFolders, takePrecious } from './protect/precious.ts';
import { putBackAfterChecks, takeNames } from './protect/protected-names.ts';
import { saveIgnoredSpec, takeIgnoredSpec, takeSnapshot } from './protect/snapshot.ts';
import { guardState, putTrustBack, takeTrust } from './protect/trust.ts';

/** The work of one iteration, and the agent that does it. */
interface Assignment {
  readonly iteration: number;
  /** The backlog file's present content; `work` was selected from it. */
  readonly document: BacklogDocument;
  readonly work: Work;
  readonly agent: AgentAdapter;
}

/** One agent process on one story in one mode: checkpoint, work, gather, judge, apply. */
export async function iterate(context: RunContext, assignment: Assignment): Promise<LedgerIteration> {
  context.current = { iteration: assignment.iteration, startedAt: context.clock.now() };
  const begun = await checkpoint(context, assignment);
  const ended = await work(context, begun);
  const line = await conclude(context, ended);
  await saveNews(context);
  await context.agentTree.dropGuest();
  context.egress.flush();
  context.current = null;
  logUnfinished(context, line);
  return line;
}

/** An iteration whose work tree can be restored, with its agent's prompt; null: no agent is started. */
interface Begun {
  readonly header: IterationHeader & { readonly names: ProtectedNames; readonly precious: PreciousFiles };
  readonly checkpoint: Checkpoint;
  readonly trust: TrustSnapshot;
  readonly snapshot: Snapshot;
  /** Paths that git ignores: files, and folders with a slash at the end. */
  readonly ignored: readonly string[];
  readonly story: Story;
  readonly agent: AgentAdapter;
  readonly prompt: Prompt | null;
  /** For the first process of the agent. */
  readonly mounts: ReturnType<RunContext['agentTree']['mounts']>;
  /** Ids of people's notes in the prompt. */
  readonly steers: readonly string[];
}

async function checkpoint(
  context: RunContext,
  { iteration, document, work: selected, agent }: Assignment,
): Promise<Begun> {
  const { story } = selected;
  const mode = modeOf(selected);
  const { clock, git } = context;
  const startedAt = clock.now();
  const notes = context.steering.now().notes.filter((note) => (note.story ?? story.id) === story.id);
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
  // Prompt and checkpoint at the same time: the one only reads what the other does not change. An unusable template
  // refuses the iteration before the journal has it; its error is thrown once no git command is running.
  const taking = git.checkpoint(AGENT_DIR);
  taking.catch(() => undefined);
  // From here on git works, in processes of its own.
  await clock.sleep(0);
  const rendering =
    selected.kind === 'verify'
      ? null
      : iterationPrompt(context, { iteration, mode, story, document, notes, maxIterations });
  rendering?.catch(() => undefined);
  const [snapshot, { ignored, ...taken }, trust, names] = await Promise.all([
    takeSnapshot(context, document),
    taking,
    takeTrust(context),
    taking.then(({ tree }) => takeNames(git.repo.root, context.workspace, { git, tree })),
  ]);
  const point: Checkpoint = context.isolation.coversGitDir ? { ...taken, sealed: true } : taken;
  refuseOtherBranch(context, point);
  const [precious, spec, prompt] = await Promise.all([
    takePrecious(context, iteration, ignored),
    takeIgnoredSpec(context.workspace, ignored),
    rendering,
  ]);
  const header = {
    version: JOURNAL_VERSION,
    run: context.run,
    iteration,
    mode,
    story: story.id,
    attempt,
    startedAt,
    checkpoint: point,
    trust,
    names,
    ...(spec ? { spec } : {}),
    precious,
  } as const;
  // Made while the journal is on its way to the disk.
  const mounts = prompt === null ? Promise.resolve([]) : context.agentTree.mounts();
  mounts.catch(() => undefined);
  await writeJournal(git.repo.stateDir, {
    ...header,
    phase: 'checkpointed',
    ...(prompt === null ? { calls: [] } : { agent: agent.name, calls: [startedAt] }),
  });
  context.emit(iteration, {
    type: 'checkpoint',
    head: point.head,
    tree: point.tree,
    durationMs: clock.now() - startedAt,
  });
  crashpoint('checkpointed');
  const steers = prompt === null ? [] : notes.map(({ id }) => id);
  return { header, checkpoint: point, trust, snapshot, ignored, story, agent, prompt, mounts, steers };
}

/** Runs the agent until no process of it is left and everything that it must not change is put back. */
async function work(context: RunContext, begun: Begun): Promise<Ended> {
  const { header, checkpoint: point, snapshot, trust, prompt, steers } = begun;
  const { iteration } = header;
  const guard = await guardState(context);
  await knowLogins(context);
  const ended = prompt === null ? noAgent(context) : await runInSession(context, begun, prompt);
  crashpoint('agent-stopped');
  await knowLogins(context);
  const stateChanges = await guard.putBack();
  // The agent's text enters here: notes, claims and messages, and through them journal, ledger, backlog and prompts.
  const asEnded: AgentOutcome = {
    ...valueWithoutSecrets(ended),
    ...(steers.length > 0 ? { steers } : {}),
    gitDirChanges: [...stateChanges, ...(ended.gitDirChanges ?? []), ...(await putTrustBack(context, trust, point))],
  };
  const { excess, ...after } = await context.agentTree.left(header);
  const saved = Object.entries(header.precious.files).flatMap(([path, { isSaved }]) => (isSaved ? [path] : []));
  const gone = await goneFolders(context, iteration, begun.ignored, saved);
  const outcome: AgentOutcome = {
    ...asEnded,
    ...(excess.length > 0 ? { excess } : {}),
    ...(gone.length > 0 ? { gone } : {}),
  };
  await saveNews(context);
  const entry = { ...header, phase: 'agent-ended', outcome, afterTree: after.tree } as const;
  await writeJournal(context.git.repo.stateDir, entry);
  crashpoint('agent-ended');
  const turn = await userIntervention(context, iteration, point, [after.head]);
  if (turn !== null) throw await giveWayToUser(context, entry, turn, after);
  return { header, checkpoint: point, snapshot, outcome, after };
}

/** From what the agent left to the commit or the rollback. Recovery also uses this. */
export async function conclude(context: RunContext, ended: Ended): Promise<LedgerIteration> {
  const { header, checkpoint: point } = ended;
  const guard = await guardState(context);
  const plan = await planFor(context, ended);
  crashpoint('settled');
  // Checks and commit hooks run code that the agent wrote.
  for (const path of await guard.putBack()) {
    const text = `A check or a commit hook changed ${path}; it was put back.`;
    context.emit(header.iteration, { type: 'notice', level: 'warning', text });
  }
  if (header.names !== undefined) await putBackAfterChecks(context, header.names, header, point);
  const planned = { ...header, phase: 'planned', plan } as const;
  const files = Object.entries(plan.files).filter(([path]) => !plan.held?.includes(path));
  const short = { ...planned, plan: { ...plan, files: Object.fromEntries(files) } };
  await writeJournal(context.git.repo.stateDir, short);
  crashpoint('planned');
  await apply(context, planned);
  if (header.spec !== undefined) await saveIgnoredSpec(context);
  return plan.ledger;
}

/** Before the next agent starts: a kill must not lose it. */
async function saveNews(context: RunContext): Promise<void> {
  const { record, remembered, gone } = context;
  if (record.remembered !== remembered || record.gone !== gone) await saveRecord(context);
}

/** What preparing an outcome reveals (a rescue, a refused commit) is more evidence: the judge is asked again. */
async function planFor(context: RunContext, ended: Ended): Promise<Plan> {
  let evidence = await gather(context, ended);
  for (;;) {
    const prepared = await prepare(context, ended, evidence, judgeIteration(evidence));
    if ('plan' in prepared) return prepared.plan;
    evidence = { ...evidence, ...prepared.more };
  }
}

/**
 * For people and hooks: a story that this iteration did not advance. Rebuildable, so a full disk does not stop the run.
 */
function logUnfinished(
  { git }: Pick<RunContext, 'git'>,
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

/** The agent at work, with a session that answers its hooks and takes its tool calls. */
async function runInSession(context: RunContext, begun: Begun, prompt: Prompt): Promise<AgentOutcome> {
  const { control, git } = context;
  const { agent } = begun;
  const windows = readContextWindows(git.repo.root);
  // Guard and verdicts are large, and only a run with an agent needs them.
  const { openSession } = await import('./session/session.ts');
  const { sessionSpool } = await import('./session/tools.ts');
  const input = { ...begun, windows };
  const session = openSession(context, input);
  const { token, revoke } = control.admit(session);
  const spool = await sessionSpool(context, input);
  try {
    const access = { url: control.url, token, ...(spool ? { spool: spool.dir } : {}) };
    const outcome = await runWithPrompt(context, input, prompt.text, access, {
      hasClaimed: () => session.record().claim !== null,
      added: () => addedBy(prompt, agent.capabilities.tools ? session.tools : [], session.takeHookCharacters()),
    });
    await session.settled();
    await spool?.deliver(session);
    const record = session.record();
    if (agent.capabilities.hooks && outcome.result.ok && !record.hooked) {
      const text = `No hook of ${agent.name} was called: nothing was enforced while it worked.`;
      const fix = 'its work is still judged at the end; look for a proxy or an old version of the agent';
      context.emit(begun.header.iteration, { type: 'notice', level: 'warning', text, fix });
    }
    // Rebuildable: a deleted .ralph/ or a full disk must not cost the iteration.
    await keepContextWindows(git.repo.root, { ...windows, ...outcome.result.windows }).catch(() => undefined);
    return { ...outcome, session: record };
  } finally {
    revoke();
    await spool?.remove();
  }
}

async function runWithPrompt(
  context: RunContext,
  {
    header,
    checkpoint: point,
    story,
    agent,
    mounts,
    windows,
  }: Begun & { readonly windows: Readonly<Record<string, number>> },
  prompt: string,
  control: AgentControl,
  heard: Pick<Tries, 'hasClaimed' | 'added'>,
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
      checkpoint: point,
      ...heard,
      mounts,
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

/** In the person's own git dir, marks the agent's entries in the log of HEAD so that they can be recognised later. */
function markOfAgent({ isolation }: Pick<RunContext, 'isolation'>): Readonly<Record<string, string>> {
  return isolation.coversGitDir ? {} : { GIT_REFLOG_ACTION: AGENT_ACTION };
}

/** The outcome of an iteration that starts no agent. */
function noAgent({ clock }: Pick<RunContext, 'clock'>): AgentOutcome {
  const now = clock.now();
  const silent = {
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
    result: { ...silent, limit: null, error: null },
    stopped: null,
    startedAt: now,
    endedAt: now,
    calls: [],
    verifyOnly: true,
  };
}

/** The subject of an iteration: the selection, with its mode. */
type Work = Extract<Selection, { kind: 'work' | 'verify' }>;
