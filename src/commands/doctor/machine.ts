import type { Chosen, System } from '../../adapters/isolation/index.ts';
import type { Env, IsolationSettings } from '../../contracts/index.ts';
import { findProgram, freeBytes, type NotWritable, notWritable } from '../../platform/index.ts';
import { counted, shellWord } from '../../rules/text/index.ts';
import { type Finding, findingOf, nodeLine } from './finding.ts';

/** The oldest Node that is tested. */
const NODE_NEEDED = [20, 19] as const;

/** Below the first limit a night may not fit; below the second nothing does. */
const LITTLE_BYTES = 1024 ** 3;
/** What a run cannot start with; above it a run starts, and reports what it cannot write. */
const NOTHING_BYTES = 1024 ** 2;
/** A setting may not be written any more. */
const FEW_BYTES = 50 * 1024 ** 2;

export function node(env: Env, system: System, version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor, neededMinor] = NODE_NEEDED;
  const ok = major > neededMajor || (major === neededMajor && minor >= neededMinor);
  if (ok) return findingOf('node', 'ok', version);
  return findingOf('node', 'failed', `${version}: ${NODE_NEEDED.join('.')} or later is needed`, [
    nodeLine(env, system),
  ]);
}

/**
 * Can checkpoints, logs and the state of runs be written?
 * @param folders work tree, git dir, state … absolute
 * @param state the user's folder for all projects
 */
export async function disk(folders: readonly string[], state: string): Promise<Finding> {
  const found = (await Promise.all(folders.map(notWritable))).flatMap((one) => one ?? []);
  const closed = [...new Map(found.map((one) => [one.path, one])).values()].map(({ path, why }) => ({
    detail: `${WHY[why].says} ${path}`,
    fix: WHY[why].fix(path),
  }));
  if ((await notWritable(state)) !== null)
    closed.push({ detail: `cannot write ${state}`, fix: 'set XDG_STATE_HOME to a folder you may write' });
  if (closed.length > 0) {
    const detail = closed.map((one) => one.detail).join('; ');
    return findingOf(
      'disk',
      'failed',
      detail,
      closed.map((one) => one.fix),
    );
  }
  const rooms = (await Promise.all(folders.map(freeBytes))).flatMap((bytes) => bytes ?? []);
  const free = rooms.length === 0 ? null : Math.min(...rooms);
  if (free === null) return findingOf('disk', 'ok', 'writable');
  const prune = 'ralph rescue prune --older-than 30d';
  const left = `${sizeText(free)} free`;
  if (free < NOTHING_BYTES) return findingOf('disk', 'failed', `${left}: no room for a run`, [prune, 'df -h']);
  if (free < FEW_BYTES) return findingOf('disk', 'warning', `${left}: a run may not have enough`, [prune, 'df -h']);
  if (free >= LITTLE_BYTES) return findingOf('disk', 'ok', left);
  return findingOf('disk', 'warning', left, [prune, 'ralph config set runs.keep 10']);
}

const WHY: Readonly<Record<NotWritable['why'], { readonly says: string; readonly fix: (path: string) => string }>> = {
  owner: { says: 'no permission to write to', fix: (path) => `sudo chown -R "$(id -un)" ${shellWord(path)}` },
  mode: { says: 'no permission to write to', fix: (path) => `chmod u+rwx ${shellWord(path)}` },
  'read-only': { says: 'the disk is mounted read-only:', fix: (path) => `findmnt -T ${shellWord(path)}` },
  file: {
    says: 'a file is where a folder should be:',
    fix: (path) => `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`,
  },
  link: { says: 'a link leads nowhere:', fix: (path) => `rm ${shellWord(path)}` },
};

function sizeText(bytes: number): string {
  return bytes < LITTLE_BYTES ? `${Math.floor(bytes / 1024 ** 2)} MB` : `${Math.floor(bytes / LITTLE_BYTES)} GB`;
}

/** GitHub's program: two commands use it, no run does. */
export function gh(env: Env): Finding {
  const missing = 'not installed; needed only for `ralph import gh:…` and `ralph stream merge --pr`';
  return findingOf('gh', 'ok', findProgram('gh', env['PATH']) ?? missing);
}

export function isolationFinding({ isolation, probe, instead, quiet, fix }: Chosen): Finding {
  const claims = probe.claims.length;
  const more = [
    ...(claims > 0 ? [`${counted(claims, 'claim')} tested and confirmed; ralph sandbox status lists them`] : []),
    ...instead.map((reason) => `not ${reason}`),
  ];
  const rest = { more, concerns: 'agent' } as const;
  if (isolation.name !== 'none') return findingOf(`isolation ${isolation.name}`, 'ok', probe.detail, [], rest);
  const back = quiet === null ? [] : ['ralph config set isolation.backend auto'];
  return findingOf('isolation none', 'warning', quiet ?? probe.detail, [...fix, ...back], rest);
}

/** The isolation a run here would take. Each candidate backend is really tried, once. */
export async function chooseHere(
  settings: IsolationSettings,
  { root, env }: { readonly root: string; readonly env: Env },
): Promise<Chosen> {
  const [{ chooseIsolation }, { isolationInput }] = await Promise.all([
    import('../../adapters/isolation/choose.ts'),
    import('../../adapters/isolation/policy.ts'),
  ]);
  // The policy of a run does not matter: what a backend promises does not depend on it.
  const workspace = { root, readOnly: [], writable: [] };
  const openHome = () => Promise.reject(new Error('nothing is started here'));
  const { input } = isolationInput({ settings, env, workspace, agents: [], registries: [], openHome });
  const chosen = await chooseIsolation(settings, input);
  await chosen.isolation.dispose();
  return chosen;
}
