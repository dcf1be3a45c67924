import type { Git } from '../../adapters/git/index.ts';
import { type Env, UsageError } from '../../contracts/index.ts';
import { crashpoint, remove, writePrivate } from '../../platform/index.ts';
import { advance } from '../merge/merge.ts';
import { inTurn } from '../merge/queue.ts';
import { type Landing, landTogether, type Step } from './all-or-none.ts';
import { type LandingFile, type Move, NAME, openClone, pathIn, readLanding, VERSION } from './folder.ts';

/** Moves all branches, or none, with a record on disk by which the next command finishes or undoes it. */
export async function landRecorded(
  folder: string,
  stream: string,
  moves: readonly Move[],
  gitOf: (repository: string) => Git,
): Promise<Landing> {
  const file: LandingFile = { version: VERSION, stream, moves: [...moves] };
  await writePrivate(pathIn(folder), `${JSON.stringify(file)}\n`);
  crashpoint('landing-recorded');
  const landing = await landTogether(moves.map((move) => stepOf(gitOf(move.repository), move, stream)));
  await remove(pathIn(folder));
  return landing;
}

function stepOf(git: Git, { repository, branch, from, to }: Move, stream: string): Step {
  return {
    name: repository,
    async look() {
      const now = await git.resolve(`refs/heads/${branch}`);
      if (now === from) return 'before';
      if (now === to) return 'there';
      return now !== null && (await git.descends(now, to)) ? 'beyond' : 'elsewhere';
    },
    async move(back) {
      const [base, commit] = back ? [to, from] : [from, to];
      const advanced = await advance(git, { into: branch, base }, commit, stream, back);
      switch (advanced.kind) {
        case 'in-the-way':
          return `uncommitted files are in the way in ${advanced.root}: ${advanced.paths.join(', ')}`;
        case 'moved-by-someone':
          return `${branch} was moved by someone else`;
        default:
          return null;
      }
    },
  };
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** Runs a task while no other merge runs in any of these repositories. */
export async function inTurnOfAll<T>(gits: readonly Git[], waiting: Waiting, task: () => Promise<T>): Promise<T> {
  const [git, ...others] = gits;
  if (git === undefined) return task();
  const turn = { commonDir: git.repo.commonDir, command: 'ralph stream merge', ...waiting };
  return inTurn(turn, () => inTurnOfAll(others, waiting, task));
}

/** Finishes a merge that was killed, or undoes it. Null: there was none. */
export async function finishLanding(root: string, env: Env, waiting: Waiting): Promise<Landing | null> {
  const found = await readLanding(root);
  if (found === null) return null;
  const odd = found.moves.find(({ repository }) => !NAME.test(repository));
  if (odd !== undefined) throw new UsageError({ what: `'${odd.repository}' cannot be a repository`, where: root });
  const gits = new Map<string, Git>();
  for (const { repository } of found.moves) gits.set(repository, await openClone(root, repository, env));
  return inTurnOfAll([...gits.values()], waiting, async () => {
    // Another process may have done it meanwhile.
    const file = await readLanding(root);
    return file && landRecorded(root, file.stream, file.moves, (name) => gits.get(name) as Git);
  });
}
