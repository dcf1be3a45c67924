/** A commit of a working branch. */
export interface WorkCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly date: number;
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly (readonly [string, string])[];
  /** The files that it changes, without ralph's own. */
  readonly paths: readonly string[];
  /** It changes nothing at all, ralph's files included. */
  readonly isEmpty: boolean;
}

/** What becomes one commit: the work on a story, on stories that cannot be told apart, or a person's commit. */
export interface Portion {
  /** Safe ids, in the order in which they were accepted; none: a person's. */
  readonly stories: readonly string[];
  /** Oldest first. */
  readonly commits: readonly WorkCommit[];
  /** Its loop was archived: the backlog of today does not speak of it. */
  readonly isArchived: boolean;
}

/** Portions whose commits interleave; one portion where nothing does. */
export interface Stretch {
  /** Each order that is worth a try, the best first. */
  readonly orders: readonly (readonly Portion[])[];
  /** The commit before it, and its last one. */
  readonly start: string;
  readonly end: string;
}

/** What was found out about commits that cannot be told apart. */
interface Bonds {
  /** Commits of persons that stay where they are: no story is gathered across one. */
  readonly fixed: ReadonlySet<string>;
  /** Stories that become one commit. */
  readonly folded: readonly ReadonlySet<string>[];
}

export const NO_BONDS: Bonds = { fixed: new Set(), folded: [] };

interface Gathered {
  readonly stories: Map<string, number>;
  readonly commits: WorkCommit[];
  readonly first: number;
  last: number;
  accepted: number;
  readonly era: number;
}

/**
 * Divides a branch into what becomes one commit each. Stories keep the order of their work where they follow each
 * other: then each tree is one that the loop has checked. Where they interleave, the one that was accepted first comes
 * first.
 * @param commits along first parents, oldest first
 */
export function stretchesOf(commits: readonly WorkCommit[], bonds: Bonds): readonly Stretch[] {
  const { gathered, eras } = gather(commits, bonds);
  const found: Gathered[][] = [];
  let end = -1;
  for (const portion of gathered.toSorted((a, b) => a.first - b.first)) {
    if (portion.first < end) found.at(-1)?.push(portion);
    else found.push([portion]);
    end = Math.max(end, portion.last);
  }
  return found.map((portions) => {
    const asPortion = ({ stories, commits: own, era }: Gathered): Portion => ({
      stories: [...stories].toSorted((a, b) => a[1] - b[1]).map(([story]) => story),
      commits: own,
      isArchived: era < eras,
    });
    const byAcceptance = portions.toSorted((a, b) => a.accepted - b.accepted).map(asPortion);
    const last = commits[Math.max(...portions.map((portion) => portion.last))];
    return {
      orders: portions.length === 1 ? [byAcceptance] : [byAcceptance, portions.map(asPortion)],
      start: portions[0]?.commits[0]?.parents[0] ?? '',
      end: last?.id ?? '',
    };
  });
}

function gather(commits: readonly WorkCommit[], bonds: Bonds) {
  const owners = ownersOf(commits);
  const byKey = new Map<string, Gathered>();
  let part = 0;
  let era = 0;
  for (const [at, commit] of commits.entries()) {
    const story = owners[at] ?? null;
    const isMerge = commit.parents.length > 1 && story === null;
    const isWork = commit.paths.length > 0 || (story === null && commit.isEmpty);
    const stands = bonds.fixed.has(commit.id) || isMerge;
    if (stands) part += 1;
    const folded = bonds.folded.find((one) => story !== null && one.has(story));
    const key = `${part} ${story === null ? commit.id : [...(folded ?? [story])].join(' ')}`;
    const known = byKey.get(key);
    if (known !== undefined) {
      if (isWork) known.commits.push(commit);
      if (isWork) known.last = at;
      known.accepted = at;
      if (story !== null) known.stories.set(story, at);
    } else if (isWork) {
      const stories = new Map(story === null ? [] : [[story, at] as const]);
      byKey.set(key, { stories, commits: [commit], first: at, last: at, accepted: at, era });
    }
    if (stands) part += 1;
    if (commit.trailers.some(([name]) => name === 'Ralph-Archived')) {
      part += 1;
      era += 1;
    }
  }
  return { gathered: [...byKey.values()], eras: era };
}

/** The story of each commit; null: a person's. The agent's own commits (`commits: keep`) belong to their iteration. */
function ownersOf(commits: readonly WorkCommit[]): readonly (string | null)[] {
  const owners = commits.map(({ trailers }) => storyIn(trailers));
  for (const [at, { body, trailers }] of commits.entries()) {
    if (owners[at] == null || trailers.every(([name]) => name !== 'Ralph-Iteration')) continue;
    const own = [...body.matchAll(/^- (.*)$/gm)].map(([, subject]) => subject).toReversed();
    for (const [back, subject] of own.entries()) {
      const before = at - back - 1;
      if (owners[before] !== null || commits[before]?.subject !== subject) break;
      owners[before] = owners[at] ?? null;
    }
  }
  return owners;
}

function storyIn(trailers: WorkCommit['trailers']): string | null {
  return trailers.find(([name]) => name === 'Ralph-Story' || name === 'Ralph-Landed')?.[1] ?? null;
}

/**
 * More bonds, after the commits of a stretch could not be gathered: stories that change the same files are folded, and
 * a person's commit among them stays where it is.
 * @param at the portion that did not fit, with the files in conflict; null: unknown, so all of the stretch
 */
export function withBond(
  bonds: Bonds,
  { orders: [portions = []] }: Stretch,
  at: { readonly portion: Portion; readonly paths: readonly string[] } | null,
): Bonds {
  const touches = ({ commits }: Portion) =>
    at === null || commits.some(({ paths }) => paths.some((path) => at.paths.includes(path)));
  const near = portions.filter((one) => one === at?.portion || touches(one));
  const meant = near.length > 1 ? near : portions;
  const persons = meant.filter(({ stories }) => stories.length === 0);
  if (persons.length > 0) {
    const ids = persons.flatMap(({ commits }) => commits.map(({ id }) => id));
    return { ...bonds, fixed: new Set([...bonds.fixed, ...ids]) };
  }
  const stories = new Set(meant.flatMap((one) => one.stories));
  const [apart, joined] = [false, true].map((isMeant) =>
    bonds.folded.filter((one) => [...one].some((story) => stories.has(story)) === isMeant),
  );
  return { ...bonds, folded: [...(apart ?? []), new Set([...(joined ?? []).flatMap((one) => [...one]), ...stories])] };
}
