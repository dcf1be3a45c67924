import type { Io } from '../../surfaces/terminal/io.ts';
import { refuseInsideAgent } from '../shared/refuse-inside-agent.ts';
import type { CommandTable } from '../table/spec.ts';
import { type CommandSpec, commands, groups } from '../table.ts';
import type { PlainLine } from './plain-line.ts';

/** What the commands that speak of commands are told. */
export const TABLE: CommandTable = { commands, groups };

/** Runs a command whose line has been read. @returns its exit code */
export async function runCommandOf(spec: CommandSpec, { args, flags }: PlainLine, io: Io): Promise<number> {
  if (spec.changesState) refuseInsideAgent(spec.name, io.env);
  const action = await spec.load();
  return action(args, flags, io, TABLE);
}
