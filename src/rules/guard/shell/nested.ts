import type { GuardContext, Redirect, SimpleCommand, Word } from '../api.ts';
import type { Text } from './text.ts';

/**
 * Something that a program runs because of its arguments, its input or the files it is given. `via` is how messages
 * name the carrier; empty when the carrier has been named already.
 */
export type Nested =
  | {
      /** Another program with its arguments: `sudo rm x`, or what a line of Python comes to. */
      readonly kind: 'argv';
      readonly via: string;
      readonly words: readonly Word[];
      readonly redirects?: readonly Redirect[];
      /** Where it runs when that is not the folder of its carrier; null: not known. */
      readonly cwd?: string | null;
    }
  | {
      /** Shell text. */
      readonly kind: 'shell';
      readonly via: string;
      readonly code: Text;
      /** `$0`, where a word gives it. */
      readonly zero?: Word;
      /** `$1`, `$2`, … */
      readonly args?: readonly Word[];
      /** `here`: in this very shell (`eval`); `child`: in one of its own; `elsewhere`: on another machine, in a container. */
      readonly where: 'here' | 'child' | 'elsewhere';
      /** The text comes from standard input, so what runs in it reads nothing that we know. */
      readonly fromInput?: boolean;
    }
  | {
      /** A program in another language. */
      readonly kind: 'language';
      readonly via: string;
      readonly language: string;
      readonly code: Text;
    };

/** Stands in `via` behind a shell that runs text of which a part came out of another command. */
export const GENERATED = 'generated text';

/** What a carrier may ask about. */
export interface Surroundings {
  readonly context: GuardContext;
  /** What the command reads on standard input; null when it is inherited. */
  readonly stdin: Text | null;
  /** Whether a shell runs what it prints. */
  readonly feedsShell: boolean;
  /** What was written to a file earlier in the text; null when nothing was. */
  readonly fileText: (file: Word) => Text | null;
}

/** Finds what a command runs. Must not throw. */
export type Carrier = (command: SimpleCommand, around: Surroundings) => readonly Nested[];
