import { relative, resolve } from 'node:path';
import type { OldBacklog } from '../../adapters/workspace/import/folder.ts';
import { RalphError, UsageError } from '../../contracts/errors.ts';
import { realPath } from '../../platform/files/files.ts';
import type { Understood } from '../../rules/import/understand.ts';
import { shellWord } from '../../rules/shell-word.ts';
import type { ImportRequest } from './outcome.ts';
import { readBacklog } from './read-backlog.ts';

/** The backlog of a folder that is imported. */
export interface Choice {
  readonly backlog: OldBacklog;
  /** Absolute. */
  readonly path: string;
  /** As messages name it. */
  readonly name: string;
  readonly understood: Understood;
  /** What became of the others. */
  readonly warnings: readonly string[];
}

interface Candidate {
  readonly backlog: OldBacklog;
  readonly path: string;
  readonly name: string;
  readonly understood: Understood | null;
  readonly error: RalphError | null;
}

/**
 * Chooses between the backlogs of a folder: the one that was named, the only one, or the only one with open stories.
 * @throws UsageError with all of them and their counts when it would be a guess
 */
export async function chooseBacklog(request: ImportRequest, backlogs: readonly OldBacklog[]): Promise<Choice> {
  const named = request.chosen === null ? backlogs : await theNamed(request, backlogs, request.chosen);
  const candidates = await Promise.all(named.map((backlog) => candidateOf(request, backlog)));
  const readable = candidates.filter(({ understood }) => understood !== null);
  const open = readable.filter((each) => openIn(each) > 0);
  const only = open.length === 0 ? readable : open;
  const [first, second] = only.length === 0 ? candidates : only;
  if (first === undefined || second !== undefined) throw several(request, candidates);
  if (first.understood === null) throw first.error ?? several(request, candidates);
  const { backlog, path, name, understood } = first;
  const others = candidates.filter((each) => each !== first);
  const warnings = others.map((each) => `${each.name} was left: ${inWords(each)}; the stories come from ${name}`);
  return { backlog, path, name, understood, warnings };
}

async function theNamed(
  { source, io }: ImportRequest,
  backlogs: readonly OldBacklog[],
  chosen: string,
): Promise<readonly OldBacklog[]> {
  const wanted = await realPath(resolve(io.cwd, chosen)).catch(() => resolve(io.cwd, chosen));
  const found = backlogs.filter(
    ({ base, path }) => [path, resolve(base, path)].includes(chosen) || resolve(base, path) === wanted,
  );
  if (found.length > 0) return found;
  throw new UsageError({
    what: `${chosen} is no backlog of ${source}`,
    why: `it has ${backlogs.map((each) => nameOf(io.cwd, each)).join(', ')}`,
    mend: [`import it by itself: ralph import ${shellWord(chosen)}`],
  });
}

async function candidateOf({ io, repair }: ImportRequest, backlog: OldBacklog): Promise<Candidate> {
  const path = resolve(backlog.base, backlog.path);
  const name = nameOf(io.cwd, backlog);
  try {
    return { backlog, path, name, understood: await readBacklog(path, name, repair), error: null };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { backlog, path, name, understood: null, error };
  }
}

function nameOf(cwd: string, { base, path }: OldBacklog): string {
  return relative(cwd, resolve(base, path)) || path;
}

function openIn({ understood }: Candidate): number {
  return understood?.stories.filter(({ story }) => !story.passes).length ?? 0;
}

function inWords(candidate: Candidate): string {
  const { understood } = candidate;
  if (understood === null) return 'no stories can be read from it';
  const open = openIn(candidate);
  const stories = understood.stories.length;
  return `${stories} ${stories === 1 ? 'story' : 'stories'}, ${open === 0 ? 'none' : open} open`;
}

function several({ source }: ImportRequest, candidates: readonly Candidate[]): UsageError {
  const shown = candidates.slice(0, 12);
  const more = candidates.length > shown.length ? [`and ${candidates.length - shown.length} more`] : [];
  const example = candidates.find((each) => openIn(each) > 0) ?? candidates[0];
  return new UsageError({
    what: `${source} has several backlogs`,
    why: [
      'it would be a guess which one is worked on:',
      ...shown.map((each) => `${each.name}: ${inWords(each)}`),
      ...more,
    ].join(`\n${' '.repeat(9)}`),
    mend: [`choose one: ralph import ${shellWord(source)} ${shellWord(example?.name ?? '')}`],
  });
}
