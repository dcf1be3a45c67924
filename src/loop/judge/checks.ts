import type { GuestMount } from '../../adapters/git/port.ts';
import type { CheckResult } from '../../contracts/model.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { RunRecord } from '../../contracts/state/run-record.ts';
import { SpawnFailed } from '../../platform/process/run-command.ts';
import type { RunContext } from '../context.ts';
import { type InsidePorts, runInside } from '../inside/inside.ts';
import { keepWhatChanged } from '../keep/keep-changed.ts';

/** Bytes of output kept per check: enough for a prompt, bounded for the journal. */
const TAIL_BYTES = 8_000;
const TAIL_LINES = 100;
/** Bytes of output that the verdict on its tests is looked for in. */
const OUTPUT_BYTES = 256 * 1024;

/** What checks need: less than a run, so that a merge can be checked before it is made. */
export type CheckPorts = InsidePorts & Pick<RunContext, 'clock' | 'plugins' | 'emit'>;

/**
 * Runs each command in the agent's isolation, one after the other, each under `checks.timeout`. What they change in
 * files that git sees is undone, so that a check can never smuggle work into a commit; it goes to a rescue first, because
 * a person may have written it meanwhile.
 */
export async function runChecks(
  context: RunContext,
  iteration: number,
  commands: readonly string[],
  redAtBaseline: ReadonlySet<string>,
): Promise<readonly CheckResult[]> {
  if (commands.length === 0) return [];
  const { git } = context;
  const before = await git.tree();
  const results = await checkEach(context, iteration, commands, redAtBaseline);
  const left = await git.tree();
  if (left === before) return results;
  await keepWhatChanged(context, iteration, before, left);
  await git.restoreTree(before);
  return results;
}

/**
 * Runs each command and leaves what it changed where it is: beside a working agent nobody can tell whose change it was.
 */
export async function checkEach(
  context: CheckPorts,
  iteration: number,
  commands: readonly string[],
  redAtBaseline: ReadonlySet<string>,
): Promise<readonly CheckResult[]> {
  const { git, isolation } = context;
  const guest = isolation.coversGitDir ? await git.openGuest(GUEST) : null;
  const results: CheckResult[] = [];
  try {
    for (const command of commands) {
      if (context.signal.aborted) break;
      context.emit(iteration, { type: 'check-start', command });
      const result = await runCheck(context, command, guest?.mounts ?? []);
      results.push(result);
      context.emit(iteration, { type: 'check', result, baselineRed: redAtBaseline.has(command) });
    }
  } finally {
    if (guest) await git.removeGuest(GUEST);
  }
  return results;
}

/** Name of the guest git dir of checks: two runs of them never overlap. */
const GUEST = 'checks';

/**
 * One check, judged by its exit code and by what its output says about tests.
 * @param cwd where it runs; default: the work tree
 */
export async function runCheck(
  context: Omit<CheckPorts, 'emit'>,
  command: string,
  mounts: readonly GuestMount[],
  cwd: string = context.git.repo.root,
): Promise<CheckResult> {
  const { clock } = context;
  const startedAt = clock.now();
  const output = tailBuffer(OUTPUT_BYTES);
  // The detectors are large, and most commands that load this file run no check.
  const { testsIn } = await import('./tests-in-output.ts');
  const finish = async (exitCode: number | null, timedOut: boolean): Promise<CheckResult> => {
    const text = output.text();
    const { tests, failed } = await testsIn({
      command,
      output: text,
      exitCode,
      root: cwd,
      plugins: context.plugins,
    });
    return {
      command,
      ok: exitCode === 0 && !failed,
      exitCode,
      timedOut,
      durationMs: clock.now() - startedAt,
      tail: lastLines(text.slice(-TAIL_BYTES), TAIL_LINES),
      ...(tests ? { tests } : {}),
    };
  };
  try {
    const outcome = await runInside(context, {
      file: 'sh',
      args: ['-c', command],
      cwd,
      mounts,
      maxBytes: TAIL_BYTES,
      onOutput: output.add,
    });
    return await finish(outcome.exitCode, outcome.timedOut);
  } catch (error) {
    if (!(error instanceof SpawnFailed)) throw error;
    output.add(Buffer.from(error.message));
    return await finish(127, false);
  }
}

/** Keeps the last `limit` bytes it was given. */
function tailBuffer(limit: number): { add: (chunk: Uint8Array) => void; text: () => string } {
  let kept = Buffer.alloc(0);
  return {
    add: (chunk) => {
      kept = Buffer.concat([kept, chunk]);
      if (kept.length > 2 * limit) kept = Buffer.from(kept.subarray(kept.length - limit));
    },
    text: () => kept.subarray(Math.max(0, kept.length - limit)).toString('utf8'),
  };
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

/**
 * Commands that must stay green: green at the baseline, or in any accepted or advanced iteration of this run.
 * What was red and never green stays out: it is shown and blocks nobody.
 */
export function greenCommands(record: RunRecord, ledger: readonly LedgerLine[]): ReadonlySet<string> {
  const green = new Set((record.baseline ?? []).filter((check) => check.ok).map((check) => check.command));
  for (const line of ledger) {
    if (line.kind !== 'iteration' || line.run !== record.run) continue;
    if (line.verdict !== 'accepted' && line.verdict !== 'advanced') continue;
    for (const check of line.checks) if (check.ok) green.add(check.command);
  }
  return green;
}

/** Commands that were red before the first iteration and have not been green since. */
export function redAtBaseline(record: RunRecord, green: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    (record.baseline ?? []).filter((check) => !check.ok && !green.has(check.command)).map((check) => check.command),
  );
}
