import type { Git } from '../../adapters/git/index.ts';
import {
  freeze,
  isCutOff,
  loadConfig,
  mainRoot,
  readLedger,
  readRunRecord,
  readSteering,
  WORKTREES_FOLDER,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import { type Config, ExitCode, LEDGER_VERSION } from '../../contracts/index.ts';
import { type DryRun, dryRun, type RunContext, type RunPorts, type RunRequest } from '../../loop/index.ts';
import { exists, systemClock } from '../../platform/index.ts';
import type { BacklogDocument } from '../../rules/backlog/index.ts';
import { type Gate, gate, livedMs } from '../../rules/safeguards/index.ts';
import { effectiveLimits, limitsOf, steeringOf } from '../../rules/steering/index.ts';
import { counted, MODE_TEXT, oneLine, printable } from '../../rules/text/index.ts';
import { type Io, waitText } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { withPluginFiles, withRunLock, workspaceIn } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import type { RunFlags } from './flags.ts';

interface Asked {
  readonly asked: RunFlags;
  readonly lanes: number;
  readonly io: Io;
  /** A backlog that is not written yet, for a dry run. */
  readonly planned?: BacklogDocument;
}

export async function runOpened(git: Git, flags: RawFlags, { asked, lanes, io }: Asked): Promise<number> {
  if (asked.task === null) return runPlaced(git, flags, { asked, lanes, io });
  const { planTask } = await import('./task.ts');
  const task = await planTask(git, asked.task, flags, io);
  const only = { ...asked, request: { ...asked.request, only: task.story } };
  if (asked.dryRun) return runIn(git, async () => task.workspace, { asked: only, lanes, io, planned: task.document });
  printLines(asked.json ? { ...io, stdout: io.stderr } : io, task.lines);
  const { stateDir } = git.repo;
  const state = async () => `${(await readRunRecord(stateDir))?.run} ${await git.resolve('HEAD')}`;
  const before = await state();
  await task.write();
  try {
    return await runPlaced(git, flags, { asked: only, lanes, io });
  } finally {
    // A run that began has committed it, and continues with `ralph run`.
    if (asked.worktree || (await state()) === before) await task.takeBack();
  }
}

async function runPlaced(git: Git, flags: RawFlags, { asked, lanes, io }: Asked): Promise<number> {
  if (!asked.worktree) return runIn(git, () => workspaceIn(git, flags, io), { asked, lanes, io });
  const { openWorktree } = await import('./worktree.ts');
  const { workspaceOfStream } = await import('../../streams/tree.ts');
  const tree = await openWorktree(git, asked, flags, io);
  const code = await runIn(tree.git, () => workspaceOfStream(tree.git.repo.root, tree.specDir), { asked, lanes, io });
  if (!asked.json) printLines(io, tree.farewell);
  return code;
}

/** At a terminal, shows untrusted settings and asks about them, before the run would be refused. */
async function offerTrust(git: Git, io: Io): Promise<void> {
  if (!io.isTTY || process.stdin.isTTY !== true) return;
  const { askForTrust } = await import('../trust.ts');
  await askForTrust(git, io);
}

/** Runs in a work tree; its spec folder is looked up only after a crash has been dealt with. */
async function runIn(git: Git, find: () => Promise<Workspace>, { asked, lanes, io, planned }: Asked): Promise<number> {
  if (!asked.dryRun) await (await import('../../loop/protect/secure.ts')).secureStart(git, systemClock);
  const workspace = await find();
  const runsCode = !asked.dryRun || !(await isCutOff(git.repo.stateDir));
  const { root } = git.repo;
  if (!asked.dryRun) {
    await offerTrust(git, io);
    await freeze(root, 'repository');
  }
  const onUntrusted = 'refuse';
  const { config, warnings } = await loadConfig({ root, env: io.env, flags: asked.config, runsCode, onUntrusted });
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
  const place = { git, workspace, clock: systemClock };
  if (asked.dryRun) return printDryRun(place, config, asked, io, planned);
  const ready = { ...place, workspace: await withPluginFiles(workspace, config) };
  if (lanes > 1) {
    const { runParallel } = await import('./parallel.ts');
    return runParallel(ready, config, asked, lanes, io);
  }
  // The loop, its agents and its output are not needed for a plan.
  await tellOfHeldLanes(place, io);
  const { runLive } = await import('./live.ts');
  const code = await runLive(ready, config, asked, io);
  await clearHeldLanes(place, io);
  return code;
}

/** `ralph run --dry-run`: the plan, then the prompt. */
async function printDryRun(
  ports: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  { request, json }: Pick<RunFlags, 'request' | 'json'>,
  io: Io,
  planned?: BacklogDocument,
): Promise<number> {
  const [plan, gate] = await Promise.all([dryRun(ports, config, request, planned), gateNow(ports, config, request)]);
  if (json) printJson(io, { ...plan, gate });
  else printLines(io, planLines(plan, gateText(gate, ports.clock.now()), config));
  return plan.selection.kind === 'blocked' ? ExitCode.blocked : ExitCode.complete;
}

/** What would keep the run from its first iteration, or soon may; null when nothing does. */
function gateText(gate: Gate, now: number): string | null {
  switch (gate.kind) {
    case 'open':
      return gate.breaker.state === 'closed' ? null : `open, the circuit breaker half-open: ${gate.breaker.reason}`;
    case 'wait':
      return `closed: the run would wait · ${waitText(gate, now)}`;
    case 'end':
      return `closed: the run would end at once (${gate.reason}) · ${gate.text}`;
  }
}

function planLines(plan: DryRun, gate: string | null, config: Config): readonly string[] {
  const { total, done, blocked } = plan.counts;
  const { iterations, storiesLeft } = plan.estimate;
  const stories = `${counted(total, 'story', 'stories')}, ${done} done${blocked > 0 ? `, ${blocked} blocked` : ''}`;
  const needed = `about ${iterations} needed (${counted(storiesLeft, 'story', 'stories')} left)`;
  return [
    'Dry run: nothing is written and no agent is started.',
    '',
    `backlog   ${plan.backlog}: ${plan.lonePrompt ? 'a prompt without stories' : stories}`,
    `branch    ${plan.branch ?? 'the current one'}`,
    `agent     ${config.agent.join(', ')}${config.model ? ` (${config.model})` : ''}`,
    ...reviewLine(config),
    `isolation ${isolationText(config)}`,
    `checks    ${plan.checks.length === 0 ? 'NONE: nothing would prove that a story works (verifyCommands)' : plan.checks.join(' · ')}`,
    `limit     ${counted(config.maxIterations, 'iteration')}${plan.lonePrompt ? '' : `; ${needed}`}`,
    ...(gate === null ? [] : [`gate      ${oneLine(gate)}`]),
    `first     ${first(plan)}`,
    ...plan.warnings.map(({ file, line, message }) => `warning   ${file}:${line}: ${message}`),
    ...(plan.prompt === null ? [] : ['', '--- prompt ---', plan.prompt.trimEnd()]),
  ].map(printable);
}

/** Only where it is not one review by an agent of the run. */
function reviewLine({ skipReview, review: { agents, panel }, agent }: Config): readonly string[] {
  if (skipReview) return ['review    none: passing checks are enough'];
  if (agents === null && panel === 1) return [];
  return [`review    ${(agents ?? agent).join(', ')}${panel > 1 ? `; ${panel} of them must approve` : ''}`];
}

/** Based on settings alone: a dry run starts nothing, and only a trial shows what holds. */
function isolationText({ isolation: { backend, required } }: Config): string {
  if (backend === 'none' && !required) return 'none: agents and checks run with your own permissions';
  const named = backend === 'auto' || backend === 'none' ? 'the best one that passes its tests' : backend;
  const must = required || backend !== 'auto' ? ', or the run refuses to start' : '';
  return `${named}${must}; \`ralph sandbox\` tests it`;
}

function first({ selection, attempt }: DryRun): string {
  switch (selection.kind) {
    case 'work':
      return oneLine(
        `${MODE_TEXT[selection.mode]} ${selection.story.id} ${selection.story.title}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
      );
    case 'verify':
      return oneLine(`run the checks of ${selection.story.id} ${selection.story.title}; no agent is needed`);
    case 'complete':
      return 'nothing: every story is done';
    case 'wait':
      return 'nothing: other lanes work on what is left';
    case 'blocked':
      return `nothing: only blocked stories are left (${selection.stories.map(({ id, reason }) => oneLine(`${id}: ${reason}`)).join('; ')})`;
  }
}

/**
 * Before a run without lanes: finishes a landing that a crash of a run with lanes interrupted, and reports what lanes
 * hold, as this run starts those stories from the beginning.
 */
async function tellOfHeldLanes(place: Pick<RunContext, 'git' | 'workspace'>, io: Io): Promise<void> {
  if (!(await hasWorktrees(place))) return;
  const { lanesOf } = await import('../../streams/parallel/team.ts');
  const held = (await lanesOf({ ...place, env: io.env })).filter(({ work }) => work !== null);
  if (held.length === 0) return;
  const { finishLandings } = await import('../../streams/parallel/team.ts');
  const { stateDir } = place.git.repo;
  await withRunLock(stateDir, 'ralph run', () => finishLandings({ ...place, env: io.env }));
  const stories = oneLine(held.map(({ work }) => work?.story).join(', '));
  io.stderr.write(
    `warning: an earlier \`ralph run --parallel\` has unfinished work on ${stories}; \`ralph run --parallel ${Math.max(2, held.length)}\` continues it; this run starts over\n`,
  );
}

/** After a run without lanes: removes lanes whose stories it has done, and keeps their work. */
async function clearHeldLanes(place: Pick<RunContext, 'git' | 'workspace' | 'clock'>, io: Io): Promise<void> {
  if (!(await hasWorktrees(place))) return;
  const { clearLanes } = await import('../../streams/parallel/team.ts');
  const { stateDir } = place.git.repo;
  const cleared = await withRunLock(stateDir, 'ralph run', () => clearLanes({ ...place, env: io.env }));
  for (const { story, rescue } of cleared) {
    io.stderr.write(`${oneLine(story)}: the work of an earlier lane is kept: ralph rescue show ${rescue}\n`);
  }
}

async function hasWorktrees({ git }: Pick<RunContext, 'git'>): Promise<boolean> {
  return exists(`${await mainRoot(git)}/${WORKTREES_FOLDER}`);
}

/** What the gate would say to a run that starts now: a new one, or the interrupted one. Writes nothing. */
async function gateNow(
  { git, clock }: Pick<RunPorts, 'git' | 'clock'>,
  config: Config,
  { resetCircuit, limits }: Pick<RunRequest, 'resetCircuit' | 'limits'>,
): Promise<Gate> {
  const { stateDir } = git.repo;
  const [written, record, entries] = await Promise.all([
    readLedger(stateDir),
    readRunRecord(stateDir),
    readSteering(stateDir),
  ]);
  const now = clock.now();
  const resumed = record?.ended === null ? record : null;
  const run = resumed?.run ?? '';
  const steering = steeringOf(entries, written, run);
  const closes = resetCircuit || steering.circuitReset !== null;
  const ledger = closes ? [...written, { version: LEDGER_VERSION, kind: 'circuit-reset', at: now } as const] : written;
  return gate({
    ledger,
    run,
    now,
    limits: { ...effectiveLimits(resumed?.limits ?? limitsOf(config), steering), ...(resumed ? limits : {}) },
    circuit: config.circuit,
    agents: config.agent,
    onUsageLimit: config.onUsageLimit,
    maxWaitMs: config.transient.maxWaitMs,
    aliveMs: resumed ? livedMs(resumed, ledger, null) : 0,
    paused: steering.paused,
    stopAsked: steering.stop !== null,
  });
}
