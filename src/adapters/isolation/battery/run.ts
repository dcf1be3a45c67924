import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../contracts/index.ts';
import type { ContainerSettings, Isolation, IsolationInput, IsolationName, Mount, Policy } from '../port.ts';
import { runText } from '../run-text.ts';
import { type Attempt, type AttemptResult, isAgainst, type Phase, type Uncategorized } from './attempt.ts';
import { AFTERWARDS, DESTRUCTION, FILES, GIT, PROTECTED } from './attempts/files.ts';
import { KEYS } from './attempts/keys.ts';
import { DEVICES, HOMES, KERNEL, LIMITS, LITTLE, PRIVILEGES, PROCESSES, READING } from './attempts/machine.ts';
import { CONTROL, NETWORK, PROXY, SOCKETS } from './attempts/network.ts';
import { differenceOf, type Footprint, footprintOf, judge, notTried } from './judge.ts';
import type { Report } from './plan.ts';
import {
  AGENT,
  type BatteryRepository,
  ownName,
  protectedFile,
  type Scene,
  type SceneOptions,
  setScene,
} from './scene.ts';

export interface BatteryRow extends AttemptResult {
  readonly backend: IsolationName;
  readonly id: string;
  readonly attempt: string;
  readonly category: string;
}

interface BatteryOptions extends SceneOptions {
  readonly container: ContainerSettings;
  /** Ids of attempts; default: all. */
  readonly only?: readonly string[] | undefined;
  /** Attempts beside those of the table. */
  readonly more?: readonly Attempt[];
  readonly limits?: Allowance;
}

type Open = (input: IsolationInput) => Isolation | Promise<Isolation>;

type Allowance = Pick<Policy, 'memoryBytes' | 'processes' | 'cpus'>;

const AMPLE: Allowance = { memoryBytes: 2 * 1024 ** 3, processes: 1024, cpus: null };

/** The kinds of sandbox, in this order; attempts of the first kind run together, the others one by one. */
const PHASES: readonly Phase[] = ['together', 'alone', 'limits', 'last'];

/**
 * Tries every way of the table to get out of a sandbox, in a throw-away project with throw-away secrets, and removes
 * all of it. Attempts that could do harm come last, and only when all others held. Rows in the order of the table.
 * @throws UnavailableError when the backend cannot be prepared
 */
export async function runBattery(open: Open, options: BatteryOptions): Promise<readonly BatteryRow[]> {
  const { only, more = [], limits = AMPLE } = options;
  const attempts = [...ATTEMPTS.filter(({ id }) => only?.includes(id) ?? true), ...more];
  const scene = await setScene(attempts, options);
  const rows = new Map<string, BatteryRow>();
  const keep = (backend: IsolationName, { id, category, attempt }: Attempt, result: AttemptResult) => {
    rows.set(id, { backend, id, attempt, category, ...result });
  };
  try {
    for (const phase of PHASES) {
      const group = attempts.filter((attempt) => (attempt.phase ?? 'together') === phase);
      if (group.length === 0) continue;
      const isolation = await open(
        inputOf(scene, phase === 'limits' ? { ...limits, ...LITTLE } : limits, options.container),
      );
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
  if (name === 'none') return 'agents have full access';
  if (phase !== 'last') return null;
  // Using up a sandbox's resources is not a way out of it.
  const hole = rows.find((row) => isAgainst(row) && row.category !== 'limits');
  return hole ? `unsafe: '${hole.attempt}' was not ${hole.tried ? 'held' : 'tried'}` : null;
}

async function playGroup(
  isolation: Isolation,
  attempts: readonly Attempt[],
  scene: Scene,
  options: BatteryOptions,
  keep: (backend: IsolationName, attempt: Attempt, result: AttemptResult) => void,
): Promise<void> {
  const stage = {
    scene,
    repository: await options.repository(scene.work, isolation.coversGitDir),
    environment: options.environment,
    home: options.home ?? options.env['HOME'] ?? '',
  };
  // Backends that do not cover the git dir show it as it is.
  if (isolation.coversGitDir) await scene.keepKeyIn(join(scene.work, '.git', 'ralph', 'battery.jsonl'));
  const isTogether = attempts.every(({ phase }) => phase === undefined || phase === 'together');
  try {
    await isolation.prepare({
      run: `battery-${randomBytes(4).toString('hex')}`,
      localPorts: isolation.reach === 'address' && scene.control ? [Number(new URL(scene.control.url).port)] : [],
      // Whether a refusal is reported does not show whether it holds.
      onRefusal: () => {},
    });
    for (const sandbox of isTogether ? [attempts] : attempts.map((one) => [one])) {
      const results = await playSandbox(isolation, sandbox, stage);
      for (const [i, { next, ...attempt }] of sandbox.entries()) {
        // Unless something got out already.
        const goOn = next !== undefined && results[i]?.held ? [{ ...attempt, script: next }] : [];
        const [later] = goOn.length > 0 ? await playSandbox(isolation, goOn, stage) : [];
        const result = later ?? results[i];
        if (result) keep(isolation.name, attempt, result);
      }
    }
  } finally {
    await isolation.dispose();
  }
}

function inputOf(scene: Scene, allowance: Allowance, container: ContainerSettings): IsolationInput {
  return {
    workspace: scene.workspace,
    policy: {
      ...allowance,
      hosts: [`localhost:${scene.listeners.allowed}`, ownName(scene.listeners.tcp)],
      localPorts: [],
      lending: { lent: scene.lent, hosts: [], localPorts: [] },
      read: [],
      write: [],
    },
    env: scene.env,
    openHome: scene.openHome,
    container,
  };
}

const SANDBOX_MS = 120_000;
const STREAM_BYTES = 16 * 1024 * 1024;
/** The part of the git dir that belongs to the loop. */
const OURS_IN_GIT = ['ralph'];

interface Stage extends Pick<BatteryOptions, 'environment'> {
  readonly scene: Scene;
  readonly repository: BatteryRepository;
  /** The user's. */
  readonly home: string;
}

/**
 * Runs attempts in one sandbox and inspects the host afterwards. One result per attempt, in their order. A sandbox
 * that cannot start (because an earlier attempt reached the repository) gets a result too.
 */
async function playSandbox(
  isolation: Isolation,
  attempts: readonly Attempt[],
  stage: Stage,
): Promise<readonly AttemptResult[]> {
  const { scene, repository } = stage;
  const driver = await scene.stage(attempts);
  const mounts = await repository.guest().catch((error: unknown) => messageOf(error));
  if (typeof mounts === 'string') return attempts.map(() => notTried(mounts));
  const gitDir = () => footprintOf(join(scene.work, '.git'), OURS_IN_GIT);
  const before = await Promise.all(attempts.map((attempt) => footprints(scene, attempt)));
  const gitBefore = await gitDir();

  const stream = await runInside(isolation, driver, mounts, stage);
  const gitChange = differenceOf(gitBefore, await gitDir());
  // A destroyed git dir shows up as changed; then there is nothing more to learn from it.
  const broken = await repository.afterwards().then(() => null, messageOf);

  return Promise.all(
    attempts.map(async (attempt, i) => {
      const after = await footprints(scene, attempt);
      const reports = reportsOf(stream).filter(({ id }) => id === attempt.id);
      const found = await attempt.check?.({
        id: attempt.id,
        work: scene.work,
        home: stage.home,
        allowed: scene.listeners.atAllowed,
        lends: isolation.lent.length > 0,
        key: scene.key,
        provider: scene.listeners.atProvider,
        otherProvider: scene.listeners.atOther,
        elsewhere: [...scene.listeners.heard, ...scene.listeners.atAllowed, ...scene.listeners.atOther],
        gitChange: async () => gitChange ?? broken,
      });
      return judge(attempt, {
        began: reports.length > 0,
        output: shortened(reports.find(({ output }) => output !== null)?.output ?? null, scene),
        stream,
        secret: scene.secretOf(attempt.id),
        key: scene.key,
        outside: differenceOf(before[i]?.outside ?? after.outside, after.outside),
        protectedFile: differenceOf(before[i]?.protectedFile ?? after.protectedFile, after.protectedFile),
        heard: scene.listeners.heard,
        victimAlive: scene.victim.alive(),
        found: found ?? null,
      });
    }),
  );
}

/** Everything printed on either stream. */
async function runInside(
  isolation: Isolation,
  driver: string,
  mounts: readonly Mount[],
  { scene, environment }: Stage,
): Promise<string> {
  const lent = isolation.lent.find(({ agent }) => agent === AGENT);
  const env = { ...environment, ...lent?.variables, PATH: `${environment['PATH'] ?? ''}:${dirname(process.execPath)}` };
  const wrapped = await isolation.wrap({ file: 'node', args: [driver], cwd: scene.work, env, mounts });
  try {
    const { file, args } = scene.withKey(wrapped);
    const { stdout, stderr } = await runText(file, args, {
      cwd: wrapped.cwd,
      env: wrapped.env,
      timeoutMs: SANDBOX_MS,
      maxBytes: STREAM_BYTES,
      marker: `battery-${randomBytes(6).toString('hex')}`,
    });
    return `${stdout}\n${stderr}`;
  } finally {
    await wrapped.end();
  }
}

async function footprints(scene: Scene, { id }: Attempt): Promise<Record<'outside' | 'protectedFile', Footprint>> {
  return {
    outside: await footprintOf(join(scene.outside, id)),
    protectedFile: await footprintOf(join(scene.work, protectedFile(id))),
  };
}

/** Shortens long paths, which tell a reader little. */
function shortened(output: string | null, { work, outside }: Scene): string | null {
  return output?.replaceAll(outside, '(outside)').replaceAll(work, '.') ?? null;
}

/** The driver's lines among everything else that was printed. */
function reportsOf(stream: string): readonly Report[] {
  return stream.split('\n').flatMap((line) => {
    if (!line.startsWith('{"id":')) return [];
    try {
      return [JSON.parse(line) as Report];
    } catch {
      return [];
    }
  });
}

/** By category, in the order of the printed table. */
const TABLE: Readonly<Record<string, readonly Uncategorized[]>> = {
  files: FILES,
  reading: READING,
  'home folders': HOMES,
  processes: PROCESSES,
  sockets: SOCKETS,
  'control server': CONTROL,
  network: NETWORK,
  'egress proxy': PROXY,
  'protected files': PROTECTED,
  'keys of providers': KEYS,
  git: GIT,
  'afterwards: what the host does with the tree': AFTERWARDS,
  devices: DEVICES,
  privileges: PRIVILEGES,
  kernel: KERNEL,
  limits: LIMITS,
  destruction: DESTRUCTION,
};

/** Every attempt. */
export const ATTEMPTS: readonly Attempt[] = Object.entries(TABLE).flatMap(([category, attempts]) =>
  attempts.map((attempt) => ({ ...attempt, category })),
);
