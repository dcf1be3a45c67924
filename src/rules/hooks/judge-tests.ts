import { shortLine } from '../printable.ts';
import { DECISIVE, type TestVerdict } from '../verdict/api.ts';
import { judgeTestRun } from '../verdict/judge-test-run.ts';
import type { HookContext, HookEffect, HookEvent, RunFacts } from './api.ts';
import { failureEntry } from './failure-context.ts';
import { eventEffect, logEffect, NOTHING, type Step, type StepResult } from './step.ts';
import { toolUse } from './tools.ts';

/** What a shell command printed and how it ended. */
interface Ending {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  /** null when it was interrupted or went to the background. */
  readonly exitCode: number | null;
}

/** A shell command that ended well: was it a test run, and what does its output say? A pipe may have hidden the end. */
export const judgeTestOutput: Step = (event, context) => {
  const use = toolUse(event);
  if (use.kind !== 'shell' || context.run === null) return NOTHING;
  return judge({ command: use.command, ...endingOf(event.response) }, context, context.run);
};

/** A shell command that failed, which tests do by way of this event and never by PostToolUse. */
export const judgeFailedTool: Step = (event, context) => {
  const use = toolUse(event);
  if (use.kind !== 'shell' || context.run === null) return NOTHING;
  return judge({ command: use.command, stderr: '', ...failedEndingOf(event) }, context, context.run);
};

function endingOf(response: unknown): Omit<Ending, 'command'> {
  if (typeof response !== 'object' || response === null) {
    return { stdout: typeof response === 'string' ? response : '', stderr: '', exitCode: 0 };
  }
  const { stdout, stderr, interrupted, backgroundTaskId } = response as Readonly<Record<string, unknown>>;
  return {
    stdout: typeof stdout === 'string' ? stdout : '',
    stderr: typeof stderr === 'string' ? stderr : '',
    exitCode: interrupted === true || typeof backgroundTaskId === 'string' ? null : 0,
  };
}

/** `Exit code 3\n<stdout and stderr>`; other texts come from the client itself. */
function failedEndingOf({ error }: HookEvent): { readonly stdout: string; readonly exitCode: number | null } {
  const code = /^Exit code (-?\d{1,10})(?:\r?\n|$)/.exec(error);
  return code === null
    ? { stdout: error, exitCode: null }
    : { stdout: error.slice(code[0].length), exitCode: Number(code[1]) };
}

function judge(ending: Ending, context: HookContext, run: RunFacts): StepResult {
  const verdict = judgeTestRun({ ...ending, scripts: context.scripts });
  const failedTests = verdict.outcome === 'fail' || verdict.outcome === 'error';
  const effects: HookEffect[] = [];
  if (ending.exitCode !== 0 || failedTests) effects.push(...failureLog(ending, context, run));
  const { outcome, framework, passed, failed, confidence } = verdict;
  if (outcome === 'not-a-test') return { effects };
  const command = shortLine(ending.command);
  effects.push(eventEffect({ type: 'test-verdict', command, outcome, framework, passed, failed, confidence }));
  return mustRollBack(verdict, run) ? rollBack(verdict, command, context, effects) : { effects };
}

function failureLog(ending: Ending, { now }: HookContext, run: RunFacts): readonly HookEffect[] {
  const output = [ending.stdout, ending.stderr].filter((text) => text.trim() !== '').join('\n');
  if (output === '') return [];
  const { command, exitCode } = ending;
  const at = new Date(now).toISOString();
  return [logEffect('failure-context.log', failureEntry({ at, story: run.story, command, exitCode, output }))];
}

/** Only a sure failure. A review has nothing of its own to take back but its findings. */
function mustRollBack({ outcome, confidence }: TestVerdict, { rollbackAtOnce, mode }: RunFacts): boolean {
  return rollbackAtOnce && mode !== 'review' && outcome === 'fail' && confidence >= DECISIVE;
}

function rollBack(
  { evidence, failed }: TestVerdict,
  command: string,
  { session }: HookContext,
  effects: readonly HookEffect[],
): StepResult {
  const count = failed === null ? 'tests failed' : `${failed} ${failed === 1 ? 'test' : 'tests'} failed`;
  const reason = `${count} in \`${command}\` (${shortLine(evidence)})`;
  return {
    answer: { kind: 'block', reason: `${reason}.` },
    // What was read is no longer what is there.
    session: { ...session, read: new Set() },
    effects: [...effects, { kind: 'roll-back', reason }],
  };
}
