/** The guard: may this shell command run? A pure judgement over its text and where it would run. */

/** `run`: nobody watches, an agent works unattended. `interactive`: a person sits beside it. */
export type GuardProfile = 'run' | 'interactive';

/** Where a command would run, and what is special there. Paths are absolute, `/`-separated, symbolic links resolved. */
export interface GuardContext {
  readonly profile: GuardProfile;
  /** The folder the command starts in. */
  readonly cwd: string;
  /** The work tree that the agent may change. */
  readonly root: string;
  readonly home: string;
  /** Folders for throw-away files, e.g. `/tmp`. */
  readonly temp: readonly string[];
  /** Whether nobody may write this path (relative to `root`) through the shell. */
  readonly isProtected: (path: string) => boolean;
  /** Protected paths of this project, relative to `root`, that globs may be meant for, beside the usual ones. */
  readonly hostFiles?: readonly string[];
  /** The user's own rules from the configuration: patterns over a simple command, see `matchesPattern`. */
  readonly user: { readonly allow: readonly string[]; readonly deny: readonly string[] };
}

export interface GuardJudgement {
  readonly decision: 'allow' | 'block';
  /** Id of the rule that blocked, e.g. `git/push`; null when allowed. */
  readonly rule: string | null;
  /** One sentence: why not. Empty when allowed. */
  readonly reason: string;
  /** What to do instead. Empty when allowed. */
  readonly alternative: string;
  /** The part of the command that the rule is about, as text. Empty when allowed. */
  readonly evidence: string;
  /** What could not be resolved and was let through, for the record. */
  readonly unresolved: readonly string[];
}

/** A word after quoting, escapes, braces, constants and variables were resolved as far as they can be. */
export interface Word {
  /** What is known of its value; a part that is not known is U+FFFD. */
  readonly text: string;
  /** False when a part of it depends on something unknown (a variable, a substitution). */
  readonly known: boolean;
  /** It holds an unquoted `*`, `?` or `[…]`, which stand in `text` as they are. */
  readonly glob: boolean;
}

export interface Redirect {
  /** `<`, `>`, `>>`, `>|`, `&>`, `<<`, `<<<`, … */
  readonly operator: string;
  readonly target: Word;
}

/** What a command reads on standard input, as far as the text tells. */
export type Input =
  | { readonly kind: 'inherited' }
  /** A here-document, a here-string, or what an `echo`/`printf`/`cat <<` before the pipe prints. */
  | { readonly kind: 'text'; readonly text: string; readonly known: boolean }
  | { readonly kind: 'file'; readonly file: Word }
  /** The pipeline's previous command. */
  | { readonly kind: 'pipe'; readonly from: SimpleCommand };

/** One program with its arguments, found anywhere in the text: behind wrappers, in substitutions, in `sh -c`, … */
export interface SimpleCommand {
  /** Last part of the program's path (`rm` for `/bin/rm` and `\rm`); empty when it cannot be known. */
  readonly name: string;
  /** The command word itself. */
  readonly word: Word;
  readonly args: readonly Word[];
  /** `A=1 cmd`; a command of assignments only has an empty name. */
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly redirects: readonly Redirect[];
  readonly input: Input;
  /** The command that reads its standard output, null when none does. */
  readonly pipesTo: string | null;
  /** Where it runs after every `cd` before it; null when that cannot be known. */
  readonly cwd: string | null;
  /** What it was found behind, outermost first: `sudo`, `xargs`, `find -exec`, `sh -c`, `$()`, `python -c`, … */
  readonly via: readonly string[];
  /** Its own text, for messages. */
  readonly source: string;
}

/**
 * Asks something of a command. `script` is every simple command of the text in the order written, this one among them:
 * for dangers made of several commands (download a file, then run it).
 */
export interface GuardTest {
  (command: SimpleCommand, context: GuardContext, script: readonly SimpleCommand[]): boolean;
  /**
   * The only programs that it can be true for, so that others need not be asked: names as in `SimpleCommand.name`, also
   * without what begins at the first digit or dot (`python` for `python3.13`, `mkfs` for `mkfs.ext4`). Absent: any program.
   */
  readonly programs?: readonly string[];
}

/** One rule. Its examples are its tests and its documentation. */
export interface GuardRule {
  /** `<category>/<name>`, stable: people name it in their configuration. */
  readonly id: string;
  readonly reason: string;
  readonly alternative: string;
  /** Profiles in which it holds; absent = both. */
  readonly profiles?: readonly GuardProfile[];
  /** True when the command breaks the rule. One that throws is taken for false, and noted. */
  readonly matches: GuardTest;
  readonly examples: { readonly block: readonly string[]; readonly allow: readonly string[] };
}

/** The rules of one kind of danger; one file each under `rules/`. */
export interface GuardCategory {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly GuardRule[];
}
