import { type ParsedScript, parse } from 'unbash';
import type { GuardContext, SimpleCommand } from '../api.ts';
import { type Frame, type GaveUp, INHERITED, type Runner } from './frame.ts';
import { isParseable } from './limits.ts';
import { createScope } from './scope.ts';
import { EMPTY, type Text, UNKNOWN, UNKNOWN_TEXT } from './text.ts';
import { walkNode, walkStatements } from './walk.ts';
import { withoutWrittenBodies } from './written-bodies.ts';

/** What a text comes to: every simple command that it runs, in order of appearance. */
export interface Resolution {
  readonly commands: readonly SimpleCommand[];
  /** What could not be resolved, for the record. */
  readonly unresolved: readonly string[];
  /** Why part of the text was not looked at; null when all of it was. */
  readonly gaveUp: GaveUp | null;
}

/** What one text may cost, nested texts and loops included. */
const MOST_STEPS = 3_000;
const MOST_COMMANDS = 500;
const MOST_PARSED = 64_000;
const MOST_NOTES = 20;

/** Finds the simple commands in a text, through wrappers, substitutions, nested shells and other languages. */
export function resolveCommand(text: string, context: GuardContext): Resolution {
  const commands: SimpleCommand[] = [];
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
      if (commands.length < MOST_COMMANDS) commands.push(command);
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
      if (parsed > MOST_PARSED || !isParseable(source)) {
        giveUp('too-long');
        note(inner);
        return UNKNOWN_TEXT;
      }
      return runner.runScript(parse(source), { ...frame, source });
    },
    runScript: (script, frame) => runScript(script, frame, runner),
    runNode: (node, frame) => walkNode(node, frame, runner),
  };
  runner.attempt(() => runner.runText(text, topFrame(context)));
  return { commands, unresolved, gaveUp };
}

function topFrame(context: GuardContext): Frame {
  return {
    scope: createScope(context),
    via: [],
    input: INHERITED,
    stdin: null,
    pipesTo: null,
    feedsShell: false,
    source: '',
  };
}

function runScript(script: ParsedScript, frame: Frame, runner: Runner): Text {
  if (!runner.step()) return EMPTY;
  const [error] = script.errors ?? [];
  if (error !== undefined) {
    // Text with unknown parts may well be valid once they are known: `eval "$name=(1 2)"`.
    if (!frame.source.includes(UNKNOWN)) runner.giveUp('unparsable');
    runner.note(`${error.message}: ${frame.source.slice(error.pos, error.pos + 80)}`);
  }
  return walkStatements(script.commands, frame, runner);
}
