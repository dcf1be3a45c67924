import { line, type Room, runGit, tryGit } from './room.ts';

/** See `Git.resolve`. */
export async function resolveCommit(room: Room, name: string): Promise<string | null> {
  const result = await tryGit(room, ['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`]);
  return result.exitCode === 0 ? line(result.stdout) : null;
}

/** See `Git.mergeBase`. */
export async function mergeBase(room: Room, one: string, other: string): Promise<string | null> {
  const result = await tryGit(room, ['merge-base', one, other]);
  return result.exitCode === 0 ? line(result.stdout) : null;
}

/** See `Git.commitsBetween`. */
export async function commitsBetween(
  room: Room,
  from: string,
  to: string,
  most: number,
): Promise<{ readonly count: number; readonly commits: readonly { readonly id: string; readonly subject: string }[] }> {
  const range = `${from}..${to}`;
  const [count, log] = await Promise.all([
    runGit(room, 'count commits', ['rev-list', '--count', range, '--']),
    runGit(room, 'list commits', [
      'rev-list',
      '--no-commit-header',
      '--format=%H %s',
      `--max-count=${most}`,
      range,
      '--',
    ]),
  ]);
  const lines = line(log)
    .split('\n')
    .filter((text) => text !== '');
  const commits = lines.map((text) => {
    const space = text.indexOf(' ');
    return { id: text.slice(0, space), subject: text.slice(space + 1) };
  });
  return { count: Number(line(count)), commits };
}
