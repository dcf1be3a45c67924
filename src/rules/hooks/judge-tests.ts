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

/** Judges a shell command that succeeded: was it a test run, and what did it print? A pipe may hide a failure. */
export const judgeTestOutput: Step = (event, context) => {
  const use = toolUse(event);
  if (use.kind !== 'shell' || context.run === null) return NOTHING;
  return judge({ command: use.command, ...endingOf(event.response) }, context, context.run);
};

/** Judges a shell command that failed: failing tests arrive by this event, never by PostToolUse. */
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

/** Parses `Exit code 3\n<stdout and stderr>`; other texts come from the client itself. */
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

interface Failure {
  /** ISO 8601. */
  readonly at: string;
  readonly story: string;
  readonly command: string;
  /** null when it is not known. */
  readonly exitCode: number | null;
  readonly output: string;
}

/** An entry of `failure-context.log`. The output is indented, so that none of its lines looks like a header. */
function failureEntry(failure: Failure): string {
  const { at, story, command, exitCode, output } = failure;
  const header = `=== ${at} ${story || '-'} exit=${exitCode ?? 'unknown'} $ ${shortLine(command)}`;
  const lines = printable(output).trimEnd().split('\n').slice(-KEPT_LINES);
  return [header, ...lines.map((line) => `  ${line.slice(0, KEPT_COLUMNS)}`), ''].join('\n');
}
