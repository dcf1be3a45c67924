import { basename, isAbsolute } from 'node:path';
import type { Command, InsideCommand } from '../port.ts';
import { isWithin, passedInside } from './environment.ts';

/** Marks everything that one wrapped command starts, so that what it leaves running can be found. */
export const MARK = 'RALPH_INSIDE';

/**
 * On the host. sbx's exit code is no contract (1 is also "no such sandbox"), so the command's own comes by a file in
 * the work tree. What stops the agent gets to sbx as well; this shell outlives it to tell how it ended.
 */
const HOST_SCRIPT = `status=$1; shift
trap : HUP INT TERM
"$@"
code=$?
if [ -s "$status" ]; then read -r code <"$status"; elif [ "$code" = 0 ]; then code=125; fi
rm -f "$status"
case $code in '' | *[!0-9]*) code=125 ;; esac
exit "$code"`;

/** Inside. A signal is 128 + its number. */
const INSIDE_SCRIPT = `"$@"; echo "$?" >"$0"`;

export interface Wrapping {
  /** Flags of sbx itself. */
  readonly globals: readonly string[];
  readonly sandbox: string;
  readonly root: string;
  /** Value of {@link MARK}: unique. */
  readonly mark: string;
  /** File in the work tree for the exit code; its folder exists. */
  readonly status: string;
  /** The person's environment: sbx itself runs with it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The host's command line for a command inside. */
export function wrapped(command: InsideCommand, { globals, sandbox, root, mark, status, env }: Wrapping): Command {
  const { RALPH_RUN_ID: run } = command.env;
  const inside = Object.entries({ ...passedInside(command.env, root), [MARK]: mark });
  const exec = [
    ...['sbx', ...globals, 'exec', '-i', '-w', command.cwd],
    ...inside.flatMap(([name, value]) => ['-e', `${name}=${value}`]),
    ...[sandbox, 'bash', '-c', INSIDE_SCRIPT, status, programInside(command.file, root), ...command.args],
  ];
  return {
    file: 'sh',
    args: ['-c', HOST_SCRIPT, 'sbx', status, ...exec],
    cwd: command.cwd,
    env: { ...defined(env), ...(run === undefined ? {} : { RALPH_RUN_ID: run }) },
  };
}

/** Programs of this machine are not there; those of the same name are. */
function programInside(file: string, root: string): string {
  return isAbsolute(file) && !isWithin(root, file) ? basename(file) : file;
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
