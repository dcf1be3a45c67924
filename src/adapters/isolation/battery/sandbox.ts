import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { runCommand, SpawnFailed } from '../../../platform/process/run-command.ts';
import type { Isolation, Mount } from '../port.ts';
import type { Attempt } from './attempt.ts';
import { differenceOf, type Footprint, footprintOf } from './footprint.ts';
import { judge, notTried, type Verdict } from './judge.ts';
import { withKey } from './key.ts';
import type { Report } from './plan.ts';
import { type BatteryRepository, protectedFile, type Scene } from './scene.ts';

/** How long a sandbox may take with everything that is tried in it, milliseconds. */
const SANDBOX_MS = 120_000;
/** What is kept of what a sandbox prints, bytes. */
const STREAM_BYTES = 16 * 1024 * 1024;
/** The git dir's part that is the loop's own. */
const OURS_IN_GIT = ['ralph'];

export interface Stage {
  readonly scene: Scene;
  readonly repository: BatteryRepository;
  /** The environment of commands inside. */
  readonly environment: Readonly<Record<string, string>>;
  /** The person's home folder. */
  readonly home: string;
}

/**
 * Plays attempts in one sandbox and looks at the host afterwards. One verdict for each, in their order. What keeps a
 * sandbox from starting (an earlier attempt that got at the repository) is a verdict too.
 */
export async function playSandbox(
  isolation: Isolation,
  attempts: readonly Attempt[],
  stage: Stage,
): Promise<readonly Verdict[]> {
  const { scene, repository } = stage;
  const { driver } = await scene.stage(attempts);
  const mounts = await repository.guest().catch((error: unknown) => messageOf(error));
  if (typeof mounts === 'string') return attempts.map(() => notTried(mounts));
  const gitDir = () => footprintOf(join(scene.work, '.git'), OURS_IN_GIT);
  const before = await Promise.all(attempts.map((attempt) => footprints(scene, attempt)));
  const gitBefore = await gitDir();

  const stream = await runInside(isolation, driver, mounts, stage);
  const gitChange = differenceOf(gitBefore, await gitDir());
  // A git dir that was destroyed shows as changed, and then there is nothing more to be learnt from it.
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
        gitChange: async () => gitChange ?? broken,
      });
      return judge(attempt, {
        began: reports.length > 0,
        output: shortened(reports.find(({ output }) => output !== null)?.output ?? null, scene),
        stream,
        secret: scene.secretOf(attempt.id),
        outside: differenceOf(before[i]?.outside ?? after.outside, after.outside),
        protectedFile: differenceOf(before[i]?.protectedFile ?? after.protectedFile, after.protectedFile),
        heard: scene.listeners.heard,
        victimAlive: scene.victim.alive(),
        found: found ?? null,
      });
    }),
  );
}

/** Everything that it printed, on either stream. */
async function runInside(
  isolation: Isolation,
  driver: string,
  mounts: readonly Mount[],
  { scene, environment }: Stage,
): Promise<string> {
  const env = { ...environment, PATH: `${environment['PATH'] ?? ''}:${dirname(process.execPath)}` };
  const wrapped = await isolation.wrap({ file: 'node', args: [driver], cwd: scene.work, env, mounts });
  try {
    const { file, args } = withKey(scene.name, wrapped);
    const { stdout, stderr } = await runCommand(file, args, {
      cwd: wrapped.cwd,
      env: wrapped.env,
      timeoutMs: SANDBOX_MS,
      maxBytes: STREAM_BYTES,
      marker: `battery-${randomBytes(6).toString('hex')}`,
    });
    return `${stdout.toString('utf8')}\n${stderr.toString('utf8')}`;
  } catch (error) {
    if (error instanceof SpawnFailed) return error.message;
    throw error;
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Long paths say little to people. */
function shortened(output: string | null, { work, outside }: Scene): string | null {
  return output?.replaceAll(outside, '(outside)').replaceAll(work, '.') ?? null;
}

/** The lines of the driver among whatever else was printed. */
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
