import { randomBytes } from 'node:crypto';
import type { ContainerSettings, Isolation, IsolationInput, IsolationName, Policy } from '../port.ts';
import type { Attempt, Category, Phase } from './attempt.ts';
import { ATTEMPTS } from './attempts/all.ts';
import { LITTLE } from './attempts/limits.ts';
import { isAgainst, notTried, type Verdict } from './judge.ts';
import { playSandbox, type Stage } from './sandbox.ts';
import { ownName, type Scene, type SceneOptions, setScene } from './scene.ts';

export interface BatteryRow extends Verdict {
  readonly backend: IsolationName;
  readonly id: string;
  /** What was to be tried. */
  readonly attempt: string;
  readonly category: Category;
}

export interface BatteryOptions extends SceneOptions {
  readonly container: ContainerSettings;
  /** Ids of attempts; default: all. */
  readonly only?: readonly string[];
}

/** Opens a backend; nothing is prepared yet. */
export type Open = (input: IsolationInput) => Isolation | Promise<Isolation>;

type Allowance = Pick<Policy, 'memoryBytes' | 'processes'>;

const AMPLE: Allowance = { memoryBytes: 2 * 1024 ** 3, processes: 1024 };

/** Sandboxes in which attempts are played, in this order; the first of them together, the others one by one. */
const PHASES: readonly (readonly [phase: Phase, allowance: Allowance])[] = [
  ['together', AMPLE],
  ['alone', AMPLE],
  ['limits', LITTLE],
  ['last', AMPLE],
];

/**
 * Tries to get out of a sandbox in every way of the table, in a throw-away project with throw-away secrets, and removes
 * all of it. What could do harm is tried last, and only when all the rest held. Rows in the order of the table.
 * @throws UnavailableError when the backend cannot be prepared
 */
export async function runBattery(open: Open, options: BatteryOptions): Promise<readonly BatteryRow[]> {
  const attempts = ATTEMPTS.filter(({ id }) => options.only?.includes(id) ?? true);
  const scene = await setScene(attempts, options);
  const rows = new Map<string, BatteryRow>();
  const keep = (backend: IsolationName, { id, category, attempt }: Attempt, verdict: Verdict) => {
    rows.set(id, { backend, id, attempt, category, ...verdict });
  };
  try {
    for (const [phase, allowance] of PHASES) {
      const group = attempts.filter((attempt) => (attempt.phase ?? 'together') === phase);
      if (group.length === 0) continue;
      const isolation = await open(inputOf(scene, allowance, options.container));
      const reason = reasonNotToTry(isolation, phase, [...rows.values()]);
      if (reason === null) await playGroup(isolation, group, scene, options, keep);
      else for (const attempt of group) keep(isolation.name, attempt, notTried(reason));
    }
  } finally {
    await scene.remove();
  }
  return attempts.flatMap(({ id }) => rows.get(id) ?? []);
}

function reasonNotToTry({ name }: Isolation, phase: Phase, rows: readonly BatteryRow[]): string | null {
  if (name === 'none') return 'nothing stands between';
  if (phase !== 'last') return null;
  // What a sandbox may use up is no way out of it.
  const hole = rows.find((row) => isAgainst(row) && row.category !== 'limits');
  return hole ? `it could do harm: '${hole.attempt}' was not ${hole.tried ? 'held' : 'tried'}` : null;
}

type Keep = (backend: IsolationName, attempt: Attempt, verdict: Verdict) => void;

async function playGroup(
  isolation: Isolation,
  attempts: readonly Attempt[],
  scene: Scene,
  options: BatteryOptions,
  keep: Keep,
): Promise<void> {
  const stage = {
    scene,
    repository: await options.repository(scene.work, isolation.coversGitDir),
    environment: options.environment,
    home: options.env['HOME'] ?? '',
  };
  const isTogether = attempts.every(({ phase }) => phase === undefined || phase === 'together');
  try {
    await isolation.prepare({
      run: `battery-${randomBytes(4).toString('hex')}`,
      localPorts: isolation.reach === 'address' ? [Number(new URL(scene.control.url).port)] : [],
      // Whether a refusal is told shows nothing of whether it holds.
      onRefusal: () => {},
    });
    for (const sandbox of isTogether ? [attempts] : attempts.map((one) => [one])) {
      const verdicts = await playInTurn(isolation, sandbox, stage);
      for (const [i, attempt] of sandbox.entries()) {
        const verdict = verdicts[i];
        if (verdict) keep(isolation.name, attempt, verdict);
      }
    }
  } finally {
    await isolation.dispose();
  }
}

/** Plays attempts in one sandbox, and in another one what some of them do next, unless something got out already. */
async function playInTurn(
  isolation: Isolation,
  attempts: readonly Attempt[],
  stage: Stage,
): Promise<readonly Verdict[]> {
  const verdicts = await playSandbox(isolation, attempts, stage);
  const goOn = attempts.flatMap(({ next, ...attempt }, i) =>
    next === undefined || !verdicts[i]?.held ? [] : [{ ...attempt, script: next }],
  );
  if (goOn.length === 0) return verdicts;
  const later = await playSandbox(isolation, goOn, stage);
  return attempts
    .map(({ id }, i) => later[goOn.findIndex((one) => one.id === id)] ?? verdicts[i])
    .flatMap((one) => one ?? []);
}

function inputOf(scene: Scene, allowance: Allowance, container: ContainerSettings): IsolationInput {
  return {
    workspace: scene.workspace,
    policy: {
      hosts: [`localhost:${scene.listeners.allowed}`, ownName(scene.listeners.tcp)],
      localPorts: [],
      read: [],
      write: [],
      cpus: null,
      ...allowance,
    },
    env: scene.env,
    openHome: scene.openHome,
    container,
  };
}
