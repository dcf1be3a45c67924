import {
  findWorkspace,
  MARKER_FILE,
  readBacklogNow,
  readBacklogSnapshot,
  readHookSettings,
  readMarker,
  readStatus,
} from '../../adapters/workspace/index.ts';
import type { ActiveMarker, Env } from '../../contracts/index.ts';
import { isThereSync } from '../../platform/index.ts';
import { judge } from '../../rules/backlog/index.ts';
import type { RunFacts, StopFacts } from '../../rules/hooks/index.ts';
import { isProtectedPath, type SpecPaths } from '../../rules/trust/index.ts';

/** A live run, detected by its files, and the iteration that a session belongs to. */
interface RunOfSession {
  readonly facts: RunFacts;
  readonly marker: ActiveMarker;
}

/**
 * The live run that a session is part of: its agent carries `RALPH_RUN_ID`. A person's own session beside a run has
 * none and is left alone.
 */
export async function runOfSession(root: string, env: Env): Promise<RunOfSession | null> {
  const run = env['RALPH_RUN_ID'];
  // Checked before anything is loaded or awaited: nearly every call comes from outside a run.
  if (!run || !isThereSync(`${root}/${MARKER_FILE}`)) return null;
  const found = await readMarker(root);
  if (found === null || !found.live || found.marker.run !== run) return null;
  const { marker } = found;
  const [spec, status] = await Promise.all([specFiles(root, env), readStatus(root)]);
  const facts: RunFacts = {
    run,
    iteration: status?.run === run ? status.iteration : 0,
    mode: marker.iterationMode ?? 'implement',
    story: marker.story ?? '',
    isProtected: (path) => isProtectedPath(spec, path),
    loopFiles: spec.loopFiles,
    hostFiles: spec.hostFiles ?? [],
    // No process is there to do it: the loop does it when the agent has ended.
    rollbackAtOnce: false,
  };
  return { facts, marker };
}

/** Changes of the backlog that settle would refuse, compared with the snapshot where there is one. */
export function stopFacts(root: string, { facts, marker }: RunOfSession): StopFacts {
  const snapshot = readBacklogSnapshot(root);
  const now = snapshot && readBacklogNow(root, snapshot);
  if (snapshot === null || now === null) return { violations: [], uncommitted: [] };
  const { violations } = judge({
    mode: facts.mode,
    selected: facts.story,
    skipReview: marker.skipReview,
    reviewCap: marker.reviewCap,
    snapshot,
    agent: now.document,
    problems: now.problems,
  });
  // Only git could tell what is uncommitted, compared with the checkpoint: settle commits it.
  return { violations, uncommitted: [] };
}

interface SpecFiles extends SpecPaths {
  readonly loopFiles: readonly string[];
}

/** The files of the spec folder; those of `ralph/` when it is unclear which one is meant. */
async function specFiles(root: string, env: Env): Promise<SpecFiles> {
  const found = await findWorkspace({ root, cwd: root, flags: {}, env }).catch(() => null);
  const spec: SpecPaths = found ?? {
    specDir: 'ralph',
    backlog: { path: 'ralph/tasks.json' },
    prdPath: 'ralph/prd.md',
    progressPath: 'ralph/progress.txt',
    promptPath: 'ralph/prompt.md',
    reviewsPath: 'ralph/reviews.json',
  };
  const { plugins } = await readHookSettings(root, env);
  const hostFiles = plugins.flatMap(({ use }) => (use.startsWith('./') ? [use.slice(2)] : []));
  return { ...spec, hostFiles, loopFiles: [...(spec.backlog ? [spec.backlog.path] : []), spec.progressPath] };
}
