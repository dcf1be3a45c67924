import { type ParsedScript, parse } from 'unbash';
import type { GuardContext, SimpleCommand, Text } from '../api.ts';
import { EMPTY, UNKNOWN, UNKNOWN_TEXT } from '../words.ts';
import { createScope, type Frame, type GaveUp, INHERITED, type Runner } from './frame.ts';
import { walkNode, walkStatements } from './walk.ts';

/** The result for a text: every simple command that it runs, by appearance. */
export interface Resolution {
  readonly commands: readonly SimpleCommand[];
  /** What could not be resolved, for the record. */
  readonly unresolved: readonly string[];
  /** Why part of the text was not checked; null when all of it was. */
  readonly gaveUp: GaveUp | null;
}

/** The budget for one text, including nested texts and loops. */
const MOST_STEPS = 2_000;
const MOST_COMMANDS = 300;
const MOST_PARSED = 64_000;
const MOST_NOTES = 20;

/** Finds the simple commands in a text, through wrappers, substitutions, nested shells and other languages. */
export function resolveCommand(text: string, context: GuardContext): Resolution {
  const commands: SimpleCommand[] = [];
  const seen = new Set<string>();
  const unresolved: string[] = [];
  let gaveUp: GaveUp | null = null;
  let steps = 0;
  let parsed = 0;
  const giveUp = (why: GaveUp): void => {
    gaveUp ??= why;
  };
  const note = (what: string): void => {
    if (unresolved.length < MOST_NOTES) unresolved.push(what.slice(0, 200));
  };
  const runner: Runner = {
    context,
    step: (cost = 1) => {
      steps += cost;
      if (steps <= MOST_STEPS && commands.length < MOST_COMMANDS) return true;
      giveUp('too-long');
      return false;
    },
    emit: (command) => {
      const key = keyOf(command);
      if (commands.length >= MOST_COMMANDS || (key !== null && seen.has(key))) return;
      if (key !== null) seen.add(key);
      commands.push(command);
    },
    note,
    giveUp,
    attempt: (work) => {
      try {
        return work();
      } catch (error) {
        // A syntax tree can be deeper than the stack: `1+1+1+…`.
        giveUp(error instanceof RangeError ? 'too-long' : 'fault');
        note(error instanceof Error ? error.message : String(error));
        return UNKNOWN_TEXT;
      }
    },
    runText: (inner, frame) => {
      const source = isParseable(inner) ? inner : withoutWrittenBodies(inner);
      parsed += source.length;
      if (parsed > MOST_PARSED || !isParseable(source) || !runner.step(2)) {
        giveUp('too-long');
        note(inner);
        return UNKNOWN_TEXT;
      }
      return runner.runScript(parse(source), { ...frame, source });
    },
    runScript,
    runNode: walkNode,
  };
  const scope = createScope(context);
  const top = { runner, scope, via: [], input: INHERITED, stdin: null, pipesTo: null, feedsShell: false, source: '' };
  runner.attempt(() => runner.runText(text, top));
  return { commands, unresolved, gaveUp };
}

/** Equal for commands that mean the same, as the rounds of a loop have them; null for one that reads something. */
function keyOf({ word, args, assignments, redirects, input, pipesTo, cwd, via, source }: SimpleCommand): string | null {
  if (input.kind !== 'inherited' || assignments.length + redirects.length > 0) return null;
  return [cwd, pipesTo, source, ...via, '', word.text, ...args.map(({ text }) => text)].join('\0');
}

function runScript(script: ParsedScript, frame: Frame): Text {
  const { runner } = frame;
  if (!runner.step()) return EMPTY;
  const [error] = script.errors ?? [];
  if (error !== undefined) {
    // Text with unknown parts may be valid once they are known: `eval "$name=(1 2)"`.
    if (!frame.source.includes(UNKNOWN)) runner.giveUp('unparsable');
    runner.note(`${error.message}: ${frame.source.slice(error.pos, error.pos + 80)}`);
  }
  return walkStatements(script.commands, frame);
}

/** Longer texts are not parsed. Parsing and walking takes about a millisecond for each thousand characters. */
const LONGEST = 32_000;

/** Deeper nesting is not parsed: the parser parses each level again from the level above. */
const DEEPEST = 60;

/** Here-documents are searched for from every line: many of them take quadratic time. */
const MOST_HERE_DOCUMENTS = 60;

/** Whether a text is small enough to parse in the time a guard has. Linear; does not parse the text. */
function isParseable(text: string): boolean {
  if (text.length > LONGEST) return false;
  return text.split('<<').length - 1 <= MOST_HERE_DOCUMENTS && nestingOf(text) <= DEEPEST;
}

const OPENING = /^(\(|\{|if|for|while|until|case|select)$/;
const CLOSING = /^(\)|\}|fi|done|esac)$/;

/** A lower bound for the nesting of brackets and compound commands; backticks count by their escapes. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/[(){}]|\b(?:if|for|while|until|case|select|fi|done|esac)\b|\\{3,}/g)) {
    if (token.startsWith('\\')) deepest = Math.max(deepest, token.length > 15 ? DEEPEST + 1 : 0);
    else if (OPENING.test(token)) depth += 1;
    else if (CLOSING.test(token)) depth = Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const WRITES_FILE = /^[^#|;&]*\b(?:cat|tee)\b[^|;&\n]*$/;

const HERE_DOCUMENT = /<<(-?)\s*(['"\\]?)([A-Za-z_][\w.-]*)\2/;

const TARGET = /(?:>>?\|?\s*|\btee\s+(?:-a\s+)?)["']?([^\s"'<>|;&]+)/;

/** Files that are compiled or only read: the text of such a file is not what runs. */
const NEVER_RUN =
  /\.(md|json5?|jsonc|ya?ml|toml|xml|html?|s?css|svg|csv|c|cc|cpp|h|hpp|rs|go|java|kt|swift|cs|[jt]sx|ts|vue|svelte)$/;

const RUNS_FILES = /\b(?:\w*sh|source|eval|xargs|chmod)\b|(?:^|[\s;&|])\.\s/;

/** Further bodies stay in the text: each is searched for from its line. */
const MOST_BODIES = 50;

/**
 * A text without the bodies of here-documents that only go into files: `cat > notes.md <<'EOF'`. They are data, and
 * make a harmless text too long. A body stays where the text may later run its file, and where the shell would expand
 * substitutions in it.
 */
function withoutWrittenBodies(text: string): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  let bodies = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    kept.push(line);
    const [, dash = '', quote = '', delimiter] = HERE_DOCUMENT.exec(line) ?? [];
    const file = TARGET.exec(line)?.[1];
    if (delimiter === undefined || file === undefined || !WRITES_FILE.test(line) || bodies >= MOST_BODIES) continue;
    bodies += 1;
    const end = lines.findIndex(
      (other, nth) => nth > at && (dash === '' ? other : other.replace(/^\t+/, '')) === delimiter,
    );
    if (end < 0) continue;
    const body = lines.slice(at + 1, end);
    const name = file.slice(file.lastIndexOf('/') + 1);
    const isData = quote !== '' || !body.some((bodyLine) => /\$\(|`/.test(bodyLine));
    const later = lines.slice(end).filter((other) => name === '' || other.includes(name));
    const mayRun = later.some((other) => !NEVER_RUN.test(name) || RUNS_FILES.test(other));
    if (isData && !mayRun) at = end - 1;
  }
  return kept.join('\n');
}
