import { RalphError, UsageError } from '../../contracts/errors.ts';
import type { StreamStanding } from '../../contracts/streams.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { listCandidates } from '../../streams/choose.ts';
import { type Publishable, type PublishableInput, publishable } from './publish-branch.ts';

/** A stream that is not handed to the fleet. */
export interface LeftOut {
  readonly stream: string;
  readonly why: string;
  /** There is something left to do in it. */
  readonly open: boolean;
}

interface Choice {
  readonly streams: readonly Publishable[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * The streams that are named, or where none is, all of the project that have something left to do; as far as a fleet can
 * work on them.
 * @throws UsageError, GitRefusal as `publishable` does, where it is about one stream alone
 */
export async function chooseSubmission(
  input: Omit<PublishableInput, 'name'>,
  args: readonly string[],
): Promise<Choice> {
  const all = args.length > 0 || namesOne(input) ? [] : await listCandidates(input.git);
  const finished = all.filter(({ finished }) => finished);
  const names: readonly (string | null)[] = args.length > 0 ? [...new Set(args)] : openOf(all);
  const streams: Publishable[] = [];
  const leftOut: LeftOut[] = finished.map(({ stream }) => ({ stream, why: 'nothing is left to do', open: false }));
  for (const name of names) {
    try {
      streams.push(await publishable({ ...input, name }));
    } catch (error) {
      if (!(error instanceof RalphError) || names.length === 1) throw error;
      leftOut.push({ stream: name ?? '', why: said(error), open: true });
    }
  }
  return withoutShared(streams, leftOut);
}

function openOf(all: Awaited<ReturnType<typeof listCandidates>>): readonly (string | null)[] {
  const open = all.filter(({ finished }) => !finished).map(({ stream }) => stream);
  if (open.length > 0) return open;
  if (all.length === 0) return [null];
  throw new UsageError({
    what: 'nothing is left to do in any stream of this project',
    mend: ['`ralph stories` shows them'],
  });
}

/** The environment says which workspace is meant. */
function namesOne({ io }: Pick<PublishableInput, 'io'>): boolean {
  return ['PRD_NUMBER', 'PLAN_PATH', 'PROGRESS_PATH'].some((name) => io.env[name]);
}

/** Two streams on one branch would fence each other for ever: neither of them is taken. */
function withoutShared(streams: readonly Publishable[], leftOut: readonly LeftOut[]): Choice {
  const others = ({ stream, branch }: Publishable) =>
    streams.filter((one) => one.branch === branch && one.stream !== stream).map(({ stream }) => stream);
  const unique = streams.filter((one, i) => streams.findIndex(({ stream }) => stream === one.stream) === i);
  const shared = unique.filter((one) => others(one).length > 0);
  return {
    streams: unique.filter((one) => !shared.includes(one)),
    leftOut: [
      ...leftOut,
      ...shared.map((one) => ({
        stream: one.stream,
        why: `its branch ${one.branch} is that of ${others(one).join(' ')}, too: give each backlog a \`branchName\` of its own`,
        open: true,
      })),
    ],
  };
}

/**
 * Why a stream cannot be handed over as it is asked for: the fleet has it on another branch, or has its branch for
 * another stream. null: it can.
 */
export function conflictWith(
  { stream, branch }: Pick<Publishable, 'stream' | 'branch'>,
  known: readonly (Pick<StreamStanding, 'stream' | 'state'> & { readonly branch: string | null })[],
): string | null {
  const open = known.filter(({ state }) => state === 'ready' || state === 'working' || state === 'later');
  const own = open.find((one) => one.stream === stream);
  if (own !== undefined && own.branch !== null && own.branch !== branch)
    return `the fleet works on it on ${own.branch}: \`ralph fleet cancel ${shellWord(stream)}\` first`;
  const other = open.find((one) => one.branch === branch && one.stream !== stream);
  return other === undefined ? null : `the fleet works on ${branch} for ${other.stream}`;
}

function said({ facts }: RalphError): string {
  const { what, where, mend } = facts;
  return [[what, where].filter(Boolean).join(': '), ...(mend ?? [])].join('; ');
}
