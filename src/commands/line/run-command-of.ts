import type { Io } from '../../surfaces/terminal/io.ts';
import { refuseInsideAgent } from '../shared/refuse-inside-agent.ts';
import type { CommandTable } from '../table/spec.ts';
import { type CommandSpec, commands, groups } from '../table.ts';
import type { PlainLine } from './plain-line.ts';

/** What the commands that speak of commands are told. */
export const TABLE: CommandTable = { commands, groups };

/** The width of the terminal is asked for anew each time, so that the rest of `io` stays what it is. */
function withEnv(io: Io, env: Io['env']): Io {
  return Object.create(io, { env: { value: env, enumerable: true } });
}

/** Runs a command whose line has been read. @returns its exit code */
export async function runCommandOf(spec: CommandSpec, { args, flags }: PlainLine, io: Io): Promise<number> {
  if (spec.changesState) refuseInsideAgent(spec.name, io.env);
  const action = await spec.load();
  // Said on the command line or in the environment: it is the same.
  const env = flags['trust'] === true ? { ...io.env, RALPH_TRUST: '1' } : null;
  return action(args, flags, env ? withEnv(io, env) : io, TABLE);
}
