import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../flags.ts';

/** A command: arguments and flags as typed in, exit code out. Errors for people are thrown. */
export type Action = (args: readonly string[], flags: RawFlags, io: Io) => Promise<number>;

export interface FlagSpec {
  /** As commander reads it: `-n, --max-iterations <n>`. */
  readonly flags: string;
  readonly meaning: string;
  /** May be given several times. */
  readonly repeat?: true;
  /** An old name: accepted, shown nowhere. */
  readonly hidden?: true;
}

export interface ArgSpec {
  /** `<id>` required, `[id]` optional, `[ids...]` any number. */
  readonly name: string;
  readonly meaning: string;
}

export interface CommandSpec {
  /** `status`, or `stories list` for a command of a group. */
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly args?: readonly ArgSpec[];
  readonly flags?: readonly FlagSpec[];
  /** At least one: what to type, and what it does. */
  readonly examples: readonly (readonly [command: string, effect: string])[];
  /** Changes what the loop answers for: refused inside an agent. */
  readonly changesState?: true;
  readonly load: () => Promise<Action>;
}

export interface GroupSpec {
  readonly name: string;
  readonly summary: string;
  /** The command that the bare group name stands for. */
  readonly default: string;
}

export const json: FlagSpec = { flags: '--json', meaning: 'print JSON' };
export const projectDir: FlagSpec = {
  flags: '-d, --project-dir <path>',
  meaning: 'the project (default: the current directory)',
};
export const userSettings: FlagSpec = {
  flags: '--user',
  meaning: 'the settings in the home folder instead of the project',
};
export const place: readonly FlagSpec[] = [
  { flags: '--prd <number>', meaning: 'the spec folder .ralph/PRD-<number>' },
  { flags: '--ralph-dir <path>', meaning: 'the spec folder (default: found)' },
  projectDir,
];
