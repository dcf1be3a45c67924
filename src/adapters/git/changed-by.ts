import { type Room, tryGit } from './room.ts';

/** See `Git.changedBy`: one process for all of them. */
export async function changedBy(
  room: Room,
  steps: readonly { readonly base: string; readonly commit: string }[],
): Promise<readonly (readonly string[] | null)[]> {
  const input = Buffer.from(steps.map(({ base, commit }) => `${commit} ${base}\n`).join(''));
  const args = ['diff-tree', '--stdin', '--always', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff'];
  const { exitCode, stdout } = await tryGit(room, args, input);
  if (exitCode !== 0) return steps.length > 1 ? oneByOne(room, steps) : [null];
  const changed: string[][] = [];
  for (const token of stdout.toString('utf8').split('\0')) {
    // Its answers come in the order of the questions, each after the name of its commit.
    if (token === steps[changed.length]?.commit) changed.push([]);
    else if (token !== '') changed.at(-1)?.push(token);
  }
  return steps.map((_, at) => changed[at] ?? null);
}

/** A commit that is not there any more ends git: the others still have an answer. */
async function oneByOne(
  room: Room,
  steps: readonly { readonly base: string; readonly commit: string }[],
): Promise<readonly (readonly string[] | null)[]> {
  const answers: (readonly string[] | null)[] = [];
  for (const step of steps) answers.push((await changedBy(room, [step]))[0] ?? null);
  return answers;
}
