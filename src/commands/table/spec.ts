import type { Io } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';

/**
 * A command: arguments and flags as typed in, exit code out. Errors for people are thrown.
 * @param table for the commands that describe commands
 */
type Action = (args: readonly string[], flags: RawFlags, io: Io, table: CommandTable) => Promise<number>;

export interface CommandTable {
  readonly commands: readonly CommandSpec[];
  readonly groups: readonly GroupSpec[];
}

/** The kind of a value, for completions: one of these words, or names that the project or the machine knows. */
export type ValueKind =
  | readonly string[]
  | 'agent'
  | 'agents'
  | 'backend'
  | 'command'
  | 'config-key'
  | 'config-value'
  | 'file'
  | 'finding'
  | 'folder'
  | 'prd'
  | 'question'
  | 'rescue'
  | 'run'
  | 'story'
  | 'stories';

export interface FlagSpec {
  /** As commander reads it: `-n, --max-iterations <n>`. */
  readonly flags: string;
  readonly meaning: string;
  /** Heading of the help it appears under (default: Options). */
  readonly group?: string;
  /** What completes its value. */
  readonly values?: ValueKind;
  /** May be given several times. */
  readonly repeat?: true;
  /** An old name: accepted, but never shown. */
  readonly hidden?: true;
}

interface ArgSpec {
  /** `<id>` required, `[id]` optional, `[ids...]` any number. */
  readonly name: string;
  readonly meaning: string;
  readonly values?: ValueKind;
}

export interface CommandSpec {
  /** `status`, or `stories list` for a command of a group. */
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  /** Paragraphs of the manual, where the summary is not enough. */
  readonly description?: readonly string[];
  readonly args?: readonly ArgSpec[];
  readonly flags?: readonly FlagSpec[];
  /** Where there are many: those that `--help` shows, by their long names without dashes; `--help --all` shows all. */
  readonly everyday?: string;
  /** At least one: what to type, and what it does. */
  readonly examples: readonly (readonly [command: string, effect: string])[];
  /** Exit codes with a special meaning here, besides 0 and 2. */
  readonly exits?: readonly (readonly [code: string, meaning: string])[];
  /** Files that it reads or writes, where that is not obvious. */
  readonly files?: readonly (readonly [path: string, meaning: string])[];
  /** Variables of the environment that matter to it alone. */
  readonly environment?: readonly (readonly [name: string, meaning: string])[];
  /** Other commands, by name, and pages of the documentation. */
  readonly seeAlso?: readonly string[];
  /** Agents may use it: it changes nothing that the loop is responsible for. Without it a command is refused to them. */
  readonly forAgents?: true;
  readonly load: () => Promise<Action>;
}

export interface GroupSpec {
  readonly name: string;
  readonly summary: string;
  /** The command that the bare group name stands for. */
  readonly default: string;
}

/** `-n, --max-iterations <n>` → `max-iterations` */
export function longName({ flags }: FlagSpec): string {
  return /--([a-z-]+)/.exec(flags)?.[1] ?? '';
}

/** Flags under one heading of the help. */
const under = (group?: string) => (flags: string, meaning: string, values?: ValueKind) =>
  ({ flags, meaning, ...(group && { group }), ...(values && { values }) }) satisfies FlagSpec;

export const flag = under();
export const work = under('What to work on');
export const agent = under('Agent');
export const limit = under('Limits');
export const isolation = under('Isolation');
export const watching = under('Watching');
export const git = under('Git');

export function arg(name: string, meaning: string, values?: ValueKind): ArgSpec {
  return { name, meaning, ...(values && { values }) };
}

export const json = flag('--json', 'print JSON');
export const projectDir = flag('-d, --project-dir <path>', 'project (default: the current directory)', 'folder');
export const place: readonly FlagSpec[] = [
  flag('--prd <number>', 'use the spec folder .ralph/PRD-<number>', 'prd'),
  flag('--ralph-dir <path>', 'use this spec folder (default: found)', 'folder'),
  projectDir,
];
