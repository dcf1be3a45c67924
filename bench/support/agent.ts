import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitFloor } from './git-floor.ts';

/** What the instant agent noted about one iteration. */
export interface Note {
  /** Milliseconds of the wall clock. */
  readonly start: number;
  readonly end: number;
  /** Milliseconds that the git floor took inside this iteration; 0 when it was not asked for. */
  readonly floor: number;
  /** Processes started so far (the last pid given out), at the agent's start and at its end. */
  readonly pidAtStart: number;
  readonly pidAtEnd: number;
  /** Resident memory of the process that started the agent, in MB. */
  readonly memory: number;
  /** Files of the project written since the previous agent's end, git objects left out. */
  readonly files: readonly string[];
}

/** The first review of a story asks for a change. */
const SEND_BACK = `[ "$RALPH_REVIEW_COUNT" = 0 ] && review='REVIEW: CHANGES_REQUESTED\\nFEEDBACK: - once more\\n'`;

/**
 * An agent that does the least that a loop accepts, and notes when: in place of `claude`, one new file per
 * implementation, an approval per review. Between its own two instants it also runs the git floor on a repository
 * beside the project, so that a busy moment of the machine hits loop and floor alike.
 *
 * bash, for a clock and reads that start no process.
 */
function agentScript(folder: string, floorRepository: string | null, sendsBack: boolean): string {
  const floor =
    floorRepository === null
      ? ''
      : `(cd '${floorRepository}' && env -i PATH="$PATH" sh '${folder}/floor.sh' "$RALPH_ITERATION")`;
  return `#!/usr/bin/env bash
start=$EPOCHREALTIME
if [ "$1" = --version ]; then echo '2.1.330 (Claude Code)'; exit; fi
read -r pid_at_start </proc/sys/kernel/ns_last_pid
while read -r name value _; do [ "$name" = VmRSS: ] && memory=$value; done </proc/$PPID/status
files=
if [ -f '${folder}/stamp' ]; then
  files=$(find . -path ./.git/objects -prune -o -newer '${folder}/stamp' -type f -print | sort | tr '\\n' '|')
fi
before=$EPOCHREALTIME
${floor}
after=$EPOCHREALTIME
review=
if [ "$RALPH_MODE" = review ]; then
  review='REVIEW: APPROVED\\n'
  ${sendsBack ? SEND_BACK : ''}
else
  echo "$RALPH_ITERATION" >"src/$RALPH_STORY_ID.txt"
fi
text="Done.\\n---RALPH_STATUS---\\nSTATUS: COMPLETE\\n\${review}EXIT_SIGNAL: true\\n---END_RALPH_STATUS---"
echo '{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.330"}'
echo '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","num_turns":1,"total_cost_usd":0.01,"session_id":"s","usage":{"input_tokens":10,"output_tokens":5},"result":"'"$text"'"}'
: >'${folder}/stamp'
read -r pid_at_end </proc/sys/kernel/ns_last_pid
echo "$start $EPOCHREALTIME $before $after $pid_at_start $pid_at_end $memory $files" >>'${folder}/notes'
`;
}

/**
 * Writes the agent into a folder (outside the project).
 * @param floorRepository where each iteration also runs the git floor; null: nowhere
 * @param sendsBack whether the first review of a story asks for a change
 * @returns the program to be named as `agents.claude.command`
 */
export function writeAgent(folder: string, floorRepository: string | null, { sendsBack = false } = {}): string {
  const program = join(folder, 'agent.sh');
  writeFileSync(program, agentScript(folder, floorRepository, sendsBack), { mode: 0o755 });
  writeFileSync(join(folder, 'floor.sh'), gitFloor);
  return program;
}

/** Reads the agent's notes, one per iteration in their order. */
export function parseNotes(text: string): readonly Note[] {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => {
    const [start, end, before, after, pidAtStart, pidAtEnd, memory, ...files] = line.split(' ');
    const instant = (seconds: string | undefined) => Number(seconds) * 1000;
    return {
      start: instant(start),
      end: instant(end),
      floor: instant(after) - instant(before),
      pidAtStart: Number(pidAtStart),
      pidAtEnd: Number(pidAtEnd),
      memory: Number(memory) / 1024,
      files: files
        .join(' ')
        .split('|')
        .filter((path) => path !== ''),
    };
  });
}
