import type { CommandNode, ParsedScript } from 'unbash';
import type { GuardContext, Input, SimpleCommand } from '../api.ts';
import type { Scope } from './scope.ts';
import type { Text } from './text.ts';

/** Standard input as far as it is known. Shared by the commands of a group: what `read` takes is gone for the next. */
export interface Stdin {
  rest: Text;
}

/** Where a piece of shell runs: what it knows, what it reads, who reads it. */
export interface Frame {
  readonly scope: Scope;
  readonly via: readonly string[];
  readonly input: Input;
  readonly stdin: Stdin | null;
  readonly pipesTo: string | null;
  /** Whether a later member of the pipeline is a shell, which runs what comes out of it. */
  readonly feedsShell: boolean;
  /** The text that the positions of the syntax tree point into. */
  readonly source: string;
}

/** Why a text could not be judged command by command. */
export type GaveUp = 'unparsable' | 'too-long' | 'fault';

/** What the parts of the walk share. It keeps them free of imports of one another. */
export interface Runner {
  readonly context: GuardContext;
  /** Counts what is about to be done, in commands or words; false when the text has used up what it may cost. */
  readonly step: (cost?: number) => boolean;
  readonly emit: (command: SimpleCommand) => void;
  /** Does a part of the work; when that fails, the rest goes on, and the text counts as not checked in full. */
  readonly attempt: (work: () => Text) => Text;
  readonly note: (unresolved: string) => void;
  readonly giveUp: (why: GaveUp) => void;
  /** Parses and walks shell text. Returns what it prints. */
  readonly runText: (text: string, frame: Frame) => Text;
  readonly runScript: (script: ParsedScript, frame: Frame) => Text;
  readonly runNode: (node: CommandNode, frame: Frame) => Text;
}

export const INHERITED: Input = { kind: 'inherited' };

/** Standard input out of what a command printed. */
export function inputOf(output: Text): Input {
  const { text, from } = output;
  const known = !text.includes('\uFFFD');
  return known || from === null ? { kind: 'text', text, known } : { kind: 'pipe', from };
}
