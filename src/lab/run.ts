import { basename, dirname } from 'node:path';
import { type Git, harvest, openGit, seedRepository } from '../adapters/git/index.ts';
import {
  CONFIG_FILES,
  copyToWorktree,
  freeze,
  SERVERS_FILE,
  STATE_FOLDER,
  slug,
  thaw,
  workspaceAt,
} from '../adapters/workspace/index.ts';
import { type Config, type Env, RalphError, type RalphEvent, UsageError } from '../contracts/index.ts';
import { runLoop, secureStart } from '../loop/index.ts';
import { exists, makePrivateDir, move, remove, systemClock, writePrivate } from '../platform/index.ts';
import type { LabArm, LabResult, LabTask } from '../rules/lab/index.ts';
import { isTestFile } from '../rules/project-checks/index.ts';
import { allTokens, sumDollars } from '../rules/text/index.ts';
import type { OpenRun } from '../streams/index.ts';
import { version } from '../version.ts';
import type { Planned } from './arms.ts';
import { judgeTree, openJudge } from './judge.ts';
import { appendResult } from './store.ts';

export interface LabAsked {
  readonly planned: readonly Planned[];
  readonly parallel: number;
  /** US dollars of this and all earlier results; null: no limit. */
  readonly maxCost: number | null;
  readonly spent: number;
  readonly ports: AttemptPorts;
  /** After each attempt, once its result is on the disk. `leftMs`: about how long the rest takes. Must not throw. */
  readonly onResult: (result: LabResult, progress: Progress) => void;
  /** One sentence. */
  readonly tell: (text: string) => void;
}

interface Progress {
  readonly done: number;
  readonly of: number;
  readonly leftMs: number;
}

/** Why it ended, and what it left out. */
export interface LabRun {
  readonly ended: 'complete' | 'cost' | 'stopped' | 'errors';
  readonly results: readonly LabResult[];
  readonly left: number;
}

/**
 * Makes the attempts, some side by side. Each result is on the disk before the next attempt begins, so that an end at
 * any moment loses only what was under way, and nothing counts twice.
 */
export async function runLab({ planned, parallel, maxCost, spent, ports, onResult, tell }: LabAsked): Promise<LabRun> {
  const since = systemClock.now();
  const queue = [...planned];
  const results: LabResult[] = [];
  const out = new Set<string>();
  const cost = () => sumDollars([spent, ...results.map(({ costUsd }) => costUsd ?? 0)]);
  const isSpent = () => maxCost !== null && cost() >= maxCost;
  let skipped = 0;
  let failure: unknown = null;
  const work = async (): Promise<void> => {
    while (!ports.signal.aborted && !isSpent() && failure === null) {
      const next = queue.shift();
      if (next === undefined) return;
      if (out.has(next.arm.name)) {
        skipped += 1;
        continue;
      }
      const attempted = await attempt(next, ports);
      if (attempted === null) return;
      await appendResult(ports.lab, attempted.result);
      results.push(attempted.result);
      const done = results.length + skipped;
      const leftMs = ((systemClock.now() - since) / results.length) * (planned.length - done);
      onResult(attempted.result, { done, of: planned.length, leftMs });
      if (!attempted.isOut || out.has(next.arm.name)) continue;
      out.add(next.arm.name);
      if (queue.some(({ arm }) => arm.name === next.arm.name)) tell(`${next.arm.name} is left out from here on`);
    }
  };
  const guarded = () =>
    work().catch((error: unknown) => {
      failure ??= error;
    });
  await Promise.all(Array.from({ length: Math.min(parallel, planned.length) }, guarded));
  if (failure !== null) throw failure;
  const left = planned.length - results.length;
  const ended = ports.signal.aborted ? 'stopped' : left === skipped ? (skipped > 0 ? 'errors' : 'complete') : 'cost';
  return { ended, results, left };
}

interface AttemptPorts {
  /** The person's repository. */
  readonly git: Git;
  /** The lab's folder: what is kept of an attempt is in `attempts/`. */
  readonly lab: string;
  /** Where the repositories of attempts are while they are worked in. */
  readonly trees: string;
  /** The person's. */
  readonly config: Config;
  /** Text of a prompt template; null: the built-in one. */
  readonly promptOf: (arm: LabArm) => string | null;
  /** For agents, and for judging without one. */
  readonly openRun: OpenRun;
  readonly openIdle: OpenRun;
  /** Without settings. */
  readonly env: Env;
  readonly signal: AbortSignal;
}

/** Of the throw-away repository: unlikely to be in the tree of a task. */
const SPEC = 'ralph-lab';
/** What is the loop's, not the agent's work. */
const OURS = [SPEC, STATE_FOLDER, SERVERS_FILE, ...CONFIG_FILES.filter((file) => !file.startsWith(STATE_FOLDER))];

/** An end that says nothing about the arm. */
const ERRORS: ReadonlySet<string> = new Set(['limit', 'unavailable', 'error', 'stopped', 'interrupted', 'terminated']);
/** Those that the arm's next attempt would come to, too. */
const OUT: ReadonlySet<string> = new Set(['limit', 'unavailable']);

/** How an attempt went, and whether the arm's next one would go the same way. */
interface Attempted {
  readonly result: LabResult;
  readonly isOut: boolean;
}

/**
 * An arm's attempt at a task: the ordinary loop in a repository of its own that has one commit, the tree before the
 * task and one story; then its accepted work is judged. What an earlier, interrupted attempt left is removed first.
 * @returns null when it was stopped: it says nothing, and is made again
 */
async function attempt(planned: Planned, ports: AttemptPorts): Promise<Attempted | null> {
  const { task, arm, repeat } = planned;
  const startedAt = systemClock.now();
  const folder = `attempts/${task.id}/${slug(arm.name)}/${repeat}`;
  const kept = `${ports.lab}/${folder}`;
  const place = `${ports.trees}/${task.id}-${slug(arm.name)}-${repeat}`;
  for (const left of [kept, place]) await remove(left);
  await makePrivateDir(kept);
  await makePrivateDir(place);
  const run: Seen = {
    reason: null,
    text: '',
    failed: null,
    worked: false,
    iterations: 0,
    tokens: 0,
    costUsd: null,
    sentBack: 0,
  };
  let judged: Judged = { outcome: 'error', reason: 'it did not begin', hiddenPassed: null, broke: [], diff: NOTHING };
  try {
    judged = await workAndJudge(planned, { ...ports, kept, tree: `${place}/${basename(ports.git.repo.root)}` }, run);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const { what, why } = error.facts;
    judged = { ...judged, reason: why ? `${what}: ${why}` : what };
  } finally {
    await remove(place);
  }
  if (ports.signal.aborted) return null;
  const endedAt = systemClock.now();
  const result: LabResult = {
    ...{ task: task.id, arm, repeat, ...judged },
    ...{ iterations: run.iterations, tokens: run.tokens, costUsd: run.costUsd, sentBack: run.sentBack },
    ...{ seconds: Math.round((endedAt - startedAt) / 100) / 10, folder, ralph: version },
    ...{ startedAt: new Date(startedAt).toISOString(), endedAt: new Date(endedAt).toISOString() },
  };
  return {
    result,
    isOut: judged.outcome === 'error' && (run.reason === null || run.failed !== null || OUT.has(run.reason)),
  };
}

type Judged = Pick<LabResult, 'outcome' | 'reason' | 'hiddenPassed' | 'broke' | 'diff'>;
const NOTHING = { files: 0, added: 0, removed: 0 };

interface Place extends AttemptPorts {
  /** Absolute: what is kept, and the repository that is worked in. */
  readonly kept: string;
  readonly tree: string;
}

async function workAndJudge(planned: Planned, place: Place, run: Seen): Promise<Judged> {
  const { task, arm } = planned;
  const { kept, tree: root, env, signal } = place;
  const config = configFor(place.config, arm, await writeScenario(planned, place));
  await seedRepository({
    from: place.git.repo.commonDir,
    tree: task.before,
    folder: root,
    files: { ...Object.fromEntries(OURS.map((path) => [path, null])), ...specOf(task, place.promptOf(arm)) },
    message: 'The code as it is',
  });
  const problem = await copyToWorktree(place.git.repo.root, root, config.checks.copy);
  if (problem !== null) throw new UsageError({ what: problem, fix: ['correct `checks.copy`'] });
  const git = await openGit(root, { env });
  await secureStart(git, systemClock);
  const workspace = await workspaceAt(git.repo.root, SPEC);
  await freeze(git.repo.root, 'work tree');
  try {
    const { see: _, close, ...opened } = await place.openRun({ git, workspace, config });
    const request = { only: null, until: null, once: false, turn: false, resetCircuit: false, limits: {} };
    const ports = { ...opened, git, clock: systemClock, env, signal, config, request, version };
    await runLoop({ ...ports, onEvent: (event) => count(event, run) }).finally(close);
    if (await exists(`${root}/${STATE_FOLDER}/runs`)) await move(`${root}/${STATE_FOLDER}/runs`, `${kept}/runs`);
    const work = await harvest({ folder: root, before: task.before, patch: `${kept}/work.patch`, without: OURS });
    const own = work.changed.filter(({ path }) => !isTestFile(path));
    const sum = (of: 'added' | 'removed') => own.reduce((all, file) => all + file[of], 0);
    const diff = { files: own.length, added: sum('added'), removed: sum('removed') };
    const unjudged = { hiddenPassed: null, broke: [], diff };
    if (run.reason === null || ERRORS.has(run.reason))
      return { ...unjudged, outcome: 'error', reason: run.text || 'the run did not end' };
    if (run.failed !== null)
      return { ...unjudged, outcome: 'error', reason: `no agent ended without an error: ${run.failed}` };
    if (work.changed.length === 0)
      return { ...unjudged, outcome: 'unsolved', reason: `nothing was accepted: ${run.text}` };
    const judge = await openJudge({ git, workspace, config, env, signal, openRun: place.openIdle });
    const said = await judgeTree(judge, task, work.tree, place.git).finally(judge.close);
    const { hiddenPassed, broke, reason, results } = said;
    await writePrivate(`${kept}/judge.json`, `${JSON.stringify(results, null, 2)}\n`);
    return { outcome: hiddenPassed === true ? 'solved' : 'unsolved', reason, hiddenPassed, broke, diff };
  } finally {
    thaw(git.repo.root);
  }
}

/** For a rehearsal, outside of the repository that the scripted agent works in. */
async function writeScenario({ task, arm }: Planned, { tree, git, lab }: Place): Promise<string | null> {
  if (arm.agent !== 'scripted' || arm.model === null) return null;
  const { rehearsal } = await import('./rehearsal.ts');
  const path = `${dirname(tree)}/scenario.json`;
  await writePrivate(path, await rehearsal(arm.model, { git, lab, task }));
  return path;
}

/** The person's settings for the arm; without those that act on the world around a run, or wait for a person. */
function configFor(config: Config, { agent, model, review }: LabArm, scenario: string | null): Config {
  const { isolation } = config;
  return {
    ...config,
    ...{ agent: [agent], skipReview: !review, gate: 'none', onUsageLimit: 'stop', branch: false, dirty: 'keep' },
    ...(model === null ? {} : { model, models: { byEstimate: {}, escalate: [] } }),
    ...{ plugins: [], keepAwake: false, issues: { ...config.issues, comment: false } },
    checks: { ...config.checks, where: 'room' },
    commit: { ...config.commit, sign: false },
    notify: { ...config.notify, webhooks: [], desktop: 'never', bell: 'never' },
    isolation: { ...isolation, required: isolation.backend !== 'none' },
    ...(scenario === null ? {} : { model: null, scripted: { scenario } }),
  } as Config;
}

/** The spec folder: one story, and the checks that are known of the tree. */
function specOf({ story, checks }: LabTask, prompt: string | null): Readonly<Record<string, string>> {
  const { title, description, acceptanceCriteria } = story;
  const backlog = {
    ...{ project: 'lab', branchName: 'main', description: '' },
    verifyCommands: checks.map(({ command }) => command),
    userStories: [
      {
        ...{ id: 'US-001', title, description, acceptanceCriteria, priority: 1, passes: false },
        ...{ reviewStatus: null, reviewCount: 0, reviewFeedback: '', notes: '', dependsOn: [] },
      },
    ],
  };
  const files = { [`${SPEC}/tasks.json`]: `${JSON.stringify(backlog, null, 2)}\n` };
  return prompt === null ? files : { ...files, [`${SPEC}/prompt.md`]: prompt };
}

/** What the run said of itself. */
interface Seen {
  reason: string | null;
  text: string;
  /** The error of the last agent, as long as each one ended with an error. */
  failed: string | null;
  /** Whether an agent ended without. */
  worked: boolean;
  iterations: number;
  tokens: number;
  costUsd: number | null;
  sentBack: number;
}

function count(event: RalphEvent, run: Seen): void {
  if (event.type === 'iteration-end') run.iterations += 1;
  if (event.type === 'agent-end') {
    if (event.costUsd !== null) run.costUsd ??= 0;
    run.worked ||= event.error === null;
    run.failed = run.worked ? null : (event.error?.message ?? null);
  }
  if (event.type === 'story' && /^changes.requested$/.test(event.to)) run.sentBack += 1;
  if (event.type !== 'run-end') return;
  run.reason = event.reason;
  run.text = event.detail ?? event.summary;
  run.tokens = allTokens(event.usage);
  if (run.costUsd !== null) run.costUsd = event.costUsd;
}
