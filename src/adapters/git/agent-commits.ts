import type { Git } from './port.ts';
import { line, type Room, runScript } from './room.ts';
import { sh } from './scripts/sh.ts';

/** $1: ref, $2: from, $3: to. Prints subjects, oldest first. */
const KEEP_COMMITS = sh`
git rev-list --reverse --no-commit-header --format=%s "$2..$3" >"$W/subjects"
[ -s "$W/subjects" ] || exit 0
git update-ref -m "ralph: the agent's commits" "$1" "$3"
cat "$W/subjects"
: >"$W/subjects"
`;

/** See `Git.keepAgentCommits`. */
export async function keepAgentCommits(
  room: Room,
  input: Parameters<Git['keepAgentCommits']>[0],
): ReturnType<Git['keepAgentCommits']> {
  if (input.agentHead === input.checkpoint.head) return null;
  const ref = `refs/ralph/iterations/${input.run}/${input.iteration}`;
  const output = await runScript(room, "keep the agent's commits", KEEP_COMMITS, [
    ref,
    input.checkpoint.head,
    input.agentHead,
  ]);
  return output.length === 0 ? null : { ref, messages: line(output).split('\n') };
}
