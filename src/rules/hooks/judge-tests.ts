import { DECISIVE, judgeTestRun, type TestResult } from '../test-results/index.ts';
import { printable, shortLine } from '../text/index.ts';
import type { HookContext, HookEffect, HookEvent, RunFacts } from './api.ts';
import { eventEffect, logEffect, NOTHING, type Step, type StepResult } from './steps.ts';
import { toolUse } from './wire.ts';

interface Ending {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  /** null when it was interrupted or went to the background. */
  readonly exitCode: number | null;
}

/**
 * Judges a shell command: was it a test run, and how did it end? Failing tests arrive as a failed tool; where a pipe hides
 * the failure, only the output shows it.
 */
export const judgeTests: Step = (event, context) => {
  const use = toolUse(event);
  if (use.kind !== 'shell' || context.run === null) return NOTHING;
  const ending = event.name === 'PostToolUseFailure' ? failedEndingOf(event) : endingOf(event.response);
  return judge({ command: use.command, ...ending }, context, context.run);
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

/** Parses `Exit code 3\n<stdout and stderr>`; other texts come from the client itself. */
function failedEndingOf({ error }: HookEvent): Omit<Ending, 'command'> {
  const code = /^Exit code (-?\d{1,10})(?:\r?\n|$)/.exec(error);
  return { stdout: error.slice(code?.[0].length ?? 0), stderr: '', exitCode: code === null ? null : Number(code[1]) };
}

function judge(ending: Ending, context: HookContext, run: RunFacts): StepResult {
  const result = judgeTestRun({ ...ending, scripts: context.scripts });
  const { outcome, framework, passed, failed, confidence } = result;
  const said = [ending.stdout, ending.stderr].filter((text) => text.trim() !== '').join('\n');
  const output = printable(said).trimEnd();
  const tail = output.split('\n').slice(-KEPT_LINES);
  const effects: HookEffect[] = [];
  if (output !== '' && (ending.exitCode !== 0 || outcome === 'fail' || outcome === 'error')) {
    effects.push(logEffect('failure-context.log', failureEntry(ending, tail, context.now, run.story)));
  }
  if (outcome === 'not-a-test') return { effects };
  const command = shortLine(ending.command);
  effects.push(eventEffect({ type: 'test-result', command, outcome, framework, passed, failed, confidence }), {
    kind: 'tests',
    seen: {
      command,
      exitCode: ending.exitCode ?? 0,
      outcome,
      passed,
      failed,
      tail: outcome === 'pass' ? '' : tail.join('\n'),
    },
  });
  return mustRollBack(result, run) ? rollBack(result, command, context, effects) : { effects };
}

/** Only for a certain failure. A review has nothing to take back except its findings. */
function mustRollBack({ outcome, confidence }: TestResult, { rollbackAtOnce, mode }: RunFacts): boolean {
  return rollbackAtOnce && mode !== 'review' && outcome === 'fail' && confidence >= DECISIVE;
}

function rollBack(
  { evidence, failed }: TestResult,
  command: string,
  { session }: HookContext,
  effects: readonly HookEffect[],
): StepResult {
  const count = failed === null ? 'tests failed' : `${failed} ${failed === 1 ? 'test' : 'tests'} failed`;
  const reason = `${count} in \`${command}\` (${shortLine(evidence)})`;
  return {
    answer: { kind: 'block', text: `${reason}.` },
    // After the roll-back the files differ from what the agent read.
    session: { ...session, read: new Set() },
    effects: [...effects, { kind: 'roll-back', reason }],
  };
}

/** Lines kept of a failing output: the end, where the summary is. */
const KEPT_LINES = 100;
/** Characters kept of one line, so that output of a minified file does not fill the log. */
const KEPT_COLUMNS = 500;

/** An entry of `failure-context.log`. The output is indented, so that none of its lines looks like a header. */
function failureEntry({ command, exitCode }: Ending, tail: readonly string[], now: number, story: string): string {
  const at = new Date(now).toISOString();
  const header = `=== ${at} ${story || '-'} exit=${exitCode ?? 'unknown'} $ ${shortLine(command)}`;
  return [header, ...tail.map((line) => `  ${line.slice(0, KEPT_COLUMNS)}`), ''].join('\n');
}
