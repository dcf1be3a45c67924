import { hookFolder } from '../../adapters/workspace/hooks/hook-folder.ts';
import { appendToLog } from '../../adapters/workspace/hooks/hook-logs.ts';
import { projectRoot } from '../../adapters/workspace/hooks/project-root.ts';
import type { HookEffect } from '../../rules/hooks/api.ts';
import { type ParseOptions, parseHook, renderAnswer, renderLegacy } from '../../rules/hooks/wire.ts';
import { shortLine } from '../../rules/printable.ts';
import { decideLean } from './decide-lean.ts';
import { type HookProcess, hookContext } from './hook-context.ts';

/**
 * Answers one hook call of a process of its own, with what the project's files tell. Never rejects: whatever goes wrong
 * lets the agent go on and leaves a line in `hook-errors.log`.
 * @param input what came on standard input; null when that could not be read
 * @returns one JSON object, or nothing when the agent may go on
 */
export async function answerHook(input: string | null, options: ParseOptions, process: HookProcess): Promise<string> {
  const name = options.name ?? '';
  try {
    if (input === null) throw new Error('standard input was too large, too slow or closed');
    return await answer(JSON.parse(input), options, process);
  } catch (error) {
    reportError(process, placeOf(process), name, error);
    return '';
  }
}

async function answer(payload: unknown, options: ParseOptions, process: HookProcess): Promise<string> {
  const event = parseHook(payload, options);
  const root = placeOf(process, event.cwd);
  const folder = hookFolder(root, process.home, process.env);
  const decision = await decideLean(event, await hookContext(event, root, folder, process));
  for (const effect of decision.effects) {
    try {
      carryOut(effect, folder, process.now);
    } catch (error) {
      // An answer counts more than its trace.
      reportError(process, root, event.name, error);
    }
  }
  if (decision.answer.kind === 'allow') return '';
  const rendered = options.legacy ? renderLegacy(decision.answer) : renderAnswer(event, decision.answer);
  return JSON.stringify(rendered);
}

/** Events belong to the log of a run, which one process alone writes; a fault is kept all the same. */
function carryOut(effect: HookEffect, folder: string, now: number): void {
  if (effect.kind === 'log') appendToLog(folder, effect.log, effect.text);
  else if (effect.kind === 'event' && effect.body.type === 'hook-error') {
    appendToLog(folder, 'hook-errors.log', errorLine(now, effect.body.hook, effect.body.message));
  }
}

/** The client names the project; without it, where the agent's shell stands will do. */
function placeOf({ env, cwd }: HookProcess, shell = ''): string {
  return projectRoot(env['CLAUDE_PROJECT_DIR'] || shell || cwd);
}

function reportError({ home, env, now }: HookProcess, root: string, hook: string, error: unknown): void {
  try {
    const message = error instanceof Error ? error.message : String(error);
    appendToLog(hookFolder(root, home, env), 'hook-errors.log', errorLine(now, hook, message));
  } catch {
    // A disk that is full or closed to us: there is nowhere left to say so.
  }
}

function errorLine(now: number, hook: string, message: string): string {
  return `${new Date(now).toISOString()} ${shortLine(hook) || 'hook'} ${shortLine(message, 500)}\n`;
}
