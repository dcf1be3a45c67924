import { UsageError } from '../../contracts/index.ts';

export const FLEET_TASK_VERSION = 1;

/** What `ralph fleet submit` hands to the workers: plain data, kept by the engine. */
export interface FleetTask {
  readonly version: typeof FLEET_TASK_VERSION;
  /** Unique for each submission: a stream that is submitted again starts over at its first turn. */
  readonly submission: string;
  readonly branch: string;
  /** Spec folder, relative to the work tree, `/`-separated. */
  readonly specDir: string;
  /** Iterations of its run; null: as configured in the project. */
  readonly maxIterations: number | null;
  /** The turn before which a person wants the circuit breaker closed; absent: none. */
  readonly resetCircuit?: number;
  /** A spec folder that git ignores, which no branch has; absent: the branch has it. */
  readonly spec?: SubmittedSpec;
}

interface SubmittedSpec {
  readonly files: Readonly<Record<string, string>>;
  /** The state of the stream that it is based on; '' for none. */
  readonly from: string;
}

/** Branches that a worker may move. A database may hold any text. */
const BRANCH = /^ralph\/[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const FOLDER = /^(?:\.|(?!\.{1,2}(?:\/|$))[^/\\\0]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\\0]+)*)$/;

/**
 * Whether a fleet may work on a branch of this name: its branches begin with `ralph/`, so that no worker ever moves
 * `main`.
 */
export function isFleetBranch(branch: string): boolean {
  return BRANCH.test(branch) && !branch.includes('..') && !/\.lock(?:\/|$)|\.(?:\/|$)/.test(branch);
}

/**
 * The task of a stream, parsed as untrusted input: any process that can write to the database decides it.
 * @throws UsageError for a task that this version does not understand, or that reaches beyond branches of streams
 */
export function readTask(stream: string, value: unknown): FleetTask {
  const task = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const { version, submission, branch, specDir, maxIterations, resetCircuit, spec } = task;
  if (version !== FLEET_TASK_VERSION) {
    throw new UsageError({
      what: `stream ${stream} was submitted by another version of ralph`,
      why: `its task has version ${String(version)}, this worker reads ${FLEET_TASK_VERSION}`,
      fix: ['use one version of ralph in the whole fleet, then: `ralph fleet retry`'],
    });
  }
  if (typeof submission !== 'string' || submission === '') throw unfit(stream, 'its submission has no name');
  if (typeof branch !== 'string' || !isFleetBranch(branch)) {
    throw unfit(stream, 'workers only move branches whose names begin with ralph/');
  }
  if (typeof specDir !== 'string' || !FOLDER.test(specDir))
    throw unfit(stream, 'its spec folder is not a folder in it');
  if (maxIterations !== null && !(Number.isSafeInteger(maxIterations) && Number(maxIterations) > 0)) {
    throw unfit(stream, 'its number of iterations is not a number');
  }
  const limit = maxIterations === null ? null : Number(maxIterations);
  const reset = Number.isSafeInteger(resetCircuit) ? { resetCircuit: Number(resetCircuit) } : {};
  const own = spec === undefined ? {} : { spec: readSpec(stream, specDir, spec) };
  return { version, submission, branch, specDir, maxIterations: limit, ...reset, ...own };
}

function readSpec(stream: string, specDir: string, value: unknown): SubmittedSpec {
  const { files, from } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const entries = typeof files === 'object' && files !== null ? Object.entries(files) : [];
  const isFit = ([path, content]: readonly [string, unknown]) =>
    typeof content === 'string' &&
    FOLDER.test(path) &&
    !/(?:^|\/)\.git(?:\/|$)/i.test(path) &&
    (specDir === '.' || path.startsWith(`${specDir}/`));
  if (typeof from === 'string' && entries.length > 0 && entries.every(isFit))
    return { files: Object.fromEntries(entries) as SubmittedSpec['files'], from };
  throw unfit(stream, 'its spec folder has no files');
}

function unfit(stream: string, why: string): UsageError {
  return new UsageError({
    what: `the task of stream ${stream} cannot be worked on`,
    why,
    fix: ['`ralph fleet cancel` it and submit it again with `ralph fleet submit`'],
  });
}
