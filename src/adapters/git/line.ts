import { readBytes, stat } from '../../platform/index.ts';
import type { Git } from './port.ts';
import { sh } from './prelude.ts';
import { askGit, line, type Room, runGit, runScript, tryGit } from './room.ts';

/** Ends a field and a record of a log; no message contains them. */
const FIELD = '\x1f';
const RECORD = '\x1e';
const FIELDS = ['%H', '%P', '%ct', '%s', '%b', '%(trailers:only,unfold)'].join('%x1f');
const LIST = ['rev-list', '--no-commit-header', `--format=${FIELDS}%x1e`];

export async function firstParents(
  room: Room,
  to: string,
  without: readonly string[],
): ReturnType<Git['firstParents']> {
  const args = [...LIST, '--first-parent', '--reverse', to, ...without.map((commit) => `^${commit}`), '--'];
  return lineCommits(await runGit(room, 'list commits', args));
}

export async function commitsIn(room: Room, range: string, most: number): ReturnType<Git['commitsIn']> {
  const args = [...LIST, `--max-count=${most}`, '--date-order', '--end-of-options', range, '--'];
  const { exitCode, stdout } = await tryGit(room, args);
  return exitCode === 0 ? lineCommits(stdout) : null;
}

function lineCommits(output: Buffer): Awaited<ReturnType<Git['firstParents']>> {
  const records = output.toString('utf8').split(RECORD).slice(0, -1);
  return records.map((record) => {
    const [id = '', parents = '', date = '', subject = '', body = '', trailers = ''] = record.trimStart().split(FIELD);
    const pairs = [...trailers.matchAll(/^([^\s:]+): ?(.*)$/gm)].map(
      ([, key = '', value = '']) => [key, value] as const,
    );
    return {
      id,
      parents: parents.split(' ').filter(Boolean),
      date: Number(date) * 1000,
      subject,
      body,
      trailers: pairs,
    };
  });
}

export async function recommit(
  room: Room,
  { like, tree, parents, sign }: Parameters<Git['recommit']>[0],
): Promise<string> {
  const args = [like, tree, sign ? '-S' : '', ...parents];
  return line(await runScript(room, 'make the commit again', RECOMMIT, args));
}

/** $1: commit whose author, message and dates it gets, $2: tree, $3: -S or empty; the others: parents. */
const RECOMMIT = sh`
like=$1 tree=$2 sign=$3
shift 3
for parent; do set -- "$@" -p "$parent"; shift; done
of() { git -c log.showSignature=false log -1 --no-show-signature --date=raw --encoding=UTF-8 --format="$1" "$like"; }
GIT_AUTHOR_NAME=$(of %an) GIT_AUTHOR_EMAIL=$(of %ae) GIT_AUTHOR_DATE=$(of %ad) GIT_COMMITTER_DATE=$(of %cd)
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_DATE
of format:%B | git -c i18n.commitEncoding=UTF-8 commit-tree $sign "$@" -F - "$tree"
`;

export async function keepRef(room: Room, ref: string, commit: string): Promise<void> {
  await runGit(room, 'keep a commit', ['update-ref', '-m', 'ralph: kept', ref, commit]);
}

export async function parentsUnder(room: Room, prefix: string): ReturnType<Git['parentsUnder']> {
  const list = await runGit(room, 'list refs', ['for-each-ref', '--format=%(parent)', prefix]);
  return line(list)
    .split('\n')
    .filter((entry) => entry !== '')
    .map((entry) => entry.split(' '));
}

/** Longer logs were not written by hand. */
const MOST_LOG_BYTES = 16 * 1024 * 1024;

/** How many branches of ralph's may have begun at each other. */
const MOST_BRANCHES = 50;

/** A branch that began at another loop's goes home to where that one began. */
export async function startedFrom(room: Room, branch: string): Promise<string | null> {
  let from = await firstLeft(room, branch);
  for (let at = 0; from?.startsWith('ralph/') && at < MOST_BRANCHES; at += 1) {
    const earlier = await firstLeft(room, from);
    if (earlier === null || earlier === branch) break;
    from = earlier;
  }
  return from;
}

/** By the log of HEAD, here and in the main work tree: the branch of the first switch to another one. */
async function firstLeft(room: Room, branch: string): Promise<string | null> {
  const { gitDir, commonDir } = room.repo;
  for (const dir of new Set([gitDir, commonDir])) {
    const found = await stat(`${dir}/logs/HEAD`);
    if (found?.kind !== 'file' || found.size > MOST_LOG_BYTES) continue;
    const log = Buffer.from((await readBytes(`${dir}/logs/HEAD`)) ?? []).toString('utf8');
    const moves = [...log.matchAll(/\tcheckout: moving from (\S+) to (\S+)$/gm)];
    for (const [, from = '', to] of moves) {
      if (to !== branch || from === branch) continue;
      const known = await askGit(room, ['show-ref', '--verify', '--hash', `refs/heads/${from}`]);
      if (known !== null) return from;
    }
  }
  return null;
}
