/** The guard: may this shell command run? A pure judgement of its text and where it would run. */

/** `run`: an agent works unattended. `interactive`: a person watches. */
export type GuardProfile = 'run' | 'interactive';

/** Where a command would run, and its special places. Paths are absolute, `/`-separated, symlinks resolved. */
export interface GuardContext {
  readonly profile: GuardProfile;
  readonly cwd: string;
  /** The work tree that the agent may change. */
  readonly root: string;
  readonly home: string;
  /** Folders for temporary files, e.g. `/tmp`. */
  readonly temp: readonly string[];
  /** Whether no command may write this path (relative to `root`) through the shell. */
  readonly isProtected: (path: string) => boolean;
  /** This project's protected paths, relative to `root`, that globs may match, besides the usual ones. */
  readonly hostFiles?: readonly string[];
  /** The user's own rules from the configuration: patterns over a simple command, see `matchesPattern`. */
  readonly user: { readonly allow: readonly string[]; readonly deny: readonly string[] };
}

export interface GuardJudgement {
  readonly decision: 'allow' | 'block';
  /** Id of the rule that blocked, e.g. `git/push`; null when allowed. */
  readonly rule: string | null;
  /** One sentence saying why not. Empty when allowed. */
  readonly reason: string;
  readonly alternative: string;
  /** The part of the command that the rule is about, verbatim. Empty when allowed. */
  readonly evidence: string;
  /** What could not be resolved and was let through, for the record. */
  readonly unresolved: readonly string[];
}

/** A value as far as the text shows it. */
export interface Text {
  /** The known parts; each part that depends on something unknown (a variable, a substitution) is U+FFFD. */
  readonly text: string;
  /** The command that printed the unknown part, `curl` in `sh -c "$(curl …)"`; null when none did. */
  readonly from: SimpleCommand | null;
}

/** A word after resolving quotes, escapes, braces, constants and variables as far as possible. */
export interface Word extends Text {
  /** It holds an unquoted `*`, `?` or `[…]`, which stays in `text` unexpanded. */
  readonly glob: boolean;
}

export interface Redirect {
  /** `<`, `>`, `>>`, `>|`, `&>`, `<<`, `<<<`, … */
  readonly operator: string;
  /** The number before the operator, `2` of `2>`; null without one. */
  readonly descriptor: number | null;
  readonly target: Word;
}

/** What a command reads on standard input, as far as the text shows. */
export type Input =
  | { readonly kind: 'inherited' }
  /** A here-document, a here-string, or what an `echo`/`printf`/`cat <<` before the pipe prints. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: Word }
  /** The pipeline's previous command. */
  | { readonly kind: 'pipe'; readonly from: SimpleCommand };

/** One program with its arguments, found anywhere in the text: behind wrappers, in substitutions, in `sh -c`, … */
export interface SimpleCommand {
  /** Last part of the program's path (`rm` for `/bin/rm` and `\rm`); empty when unknown. */
  readonly name: string;
  readonly word: Word;
  readonly args: readonly Word[];
  /** `A=1 cmd`; a command with only assignments has an empty name. */
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly redirects: readonly Redirect[];
  readonly input: Input;
  /** The command that reads its standard output; null without one. */
  readonly pipesTo: string | null;
  /** Where it runs after every `cd` before it; null when unknown. */
  readonly cwd: string | null;
  /** What it was found behind, outermost first: `sudo`, `xargs`, `find -exec`, `sh -c`, `$()`, `python -c`, … */
  readonly via: readonly string[];
  readonly source: string;
}

/**
 * Tests a command. `script` is every simple command of the text as written, including this one: for dangers that take
 * several commands (download a file, then run it).
 */
export type GuardTest = (command: SimpleCommand, context: GuardContext, script: readonly SimpleCommand[]) => boolean;

/** One rule. Its examples, its tests and its documentation, are in dangers/examples.jsonl. */
export interface GuardRule {
  readonly reason: string;
  readonly alternative: string;
  /** Profiles it applies to; absent = both. */
  readonly profiles?: readonly GuardProfile[];
  /** True when the command breaks the rule. A test that throws counts as false, and is noted. */
  readonly matches: GuardTest;
}

/** The rules of one kind of danger by id, `<kind>/<name>`: stable, because users name them in their configuration. */
export type GuardRules = Readonly<Record<string, GuardRule>>;
