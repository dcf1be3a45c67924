import { readStateFile, type StateFileKind, wrongField } from '../../adapters/workspace/records/state-file.ts';
import { writePrivate } from '../../platform/files/private.ts';

const LANE_FILE_VERSION = 1;

/** What a lane works on; in the state folder of its work tree, so that whoever comes next can go on. */
export interface LaneWork {
  /** Id of its story. */
  readonly story: string;
  /** Commit of the branch that it was started on. */
  readonly base: string;
  /** The loop's files as they were then, by path; absent: there was none. */
  readonly files: Readonly<Record<string, string>>;
  /** Its story is done or blocked, and on its way to the branch; null while it is worked on. */
  readonly landing: Landing | null;
}

export interface Landing {
  /** What the lane made of the story. Its work tree may stand at `commit`, for the checks. */
  readonly head: string;
  /** Nobody works on the story until a person says so: what was done for it lands only if it fits. */
  readonly blocked: boolean;
  /** What the branch is moved to, and from where; null until the checks of that passed. */
  readonly move: {
    readonly branch: string;
    readonly from: string;
    readonly to: string;
    /** Of that commit. */
    readonly subject: string;
    /** New text of the loop's files that git ignores: they are in no commit. */
    readonly ignored: Readonly<Record<string, string>>;
  } | null;
}

interface LaneFile {
  readonly version: typeof LANE_FILE_VERSION;
  /** Null while it is free. */
  readonly work: LaneWork | null;
}

const KIND: StateFileKind = {
  name: 'lane file',
  version: LANE_FILE_VERSION,
  wrongField: (value) => {
    const { work } = value;
    if (work === null) return null;
    if (typeof work !== 'object' || work === undefined) return 'work';
    return wrongField(work as Record<string, unknown>, {
      story: 'string',
      base: 'string',
      files: 'object',
      landing: '?object',
    });
  },
  mend: 'start again: the story of that lane begins anew; its commits are in the lane until then (`git worktree list`)',
};

/** @throws StateError when it is unreadable (the original is kept aside) or of a later version */
export async function readLaneWork(stateDir: string): Promise<LaneWork | null> {
  const file = (await readStateFile(`${stateDir}/lane.json`, KIND)) as LaneFile | null;
  return file?.work ?? null;
}

/** Replaces it, atomically and fsynced. */
export async function writeLaneWork(stateDir: string, work: LaneWork | null): Promise<void> {
  const file: LaneFile = { version: LANE_FILE_VERSION, work };
  await writePrivate(`${stateDir}/lane.json`, `${JSON.stringify(file)}\n`);
}
