import { scriptLookup } from '../../adapters/workspace/index.ts';
import type { CheckResult, TestCounts } from '../../contracts/index.ts';
import { SpawnFailed } from '../../platform/index.ts';
import type { CheckPorts } from '../context.ts';
import { type ProjectCommand, runInside } from '../inside/inside.ts';
import type { RunPlugins } from '../ports.ts';

/** Bytes of output kept per check: enough for a prompt, bounded for the journal. */
const TAIL_BYTES = 8_000;
const TAIL_LINES = 100;
/** Bytes of output searched for test results. */
const OUTPUT_BYTES = 256 * 1024;

/** Where a check runs: by default in the work tree. */
type CheckPlace = Pick<ProjectCommand, 'mounts' | 'cwd' | 'env' | 'isolation'>;

/** One check, judged by its exit code and by what its output says about tests. */
export async function runCheck(context: CheckPorts, command: string, place: CheckPlace): Promise<CheckResult> {
  const { clock } = context;
  const { root } = context.git.repo;
  const startedAt = clock.now();
  const output = tailBuffer(OUTPUT_BYTES);
  const finish = async (exitCode: number | null, timedOut: boolean): Promise<CheckResult> => {
    const text = inWorkTree(output.text(), place.cwd ?? root, root);
    context.seeOutput?.(command, text);
    const { tests, failed } = await testsIn({
      command,
      output: text,
      exitCode,
      root: place.cwd ?? root,
      plugins: context.plugins,
    });
    return {
      command,
      ok: exitCode === 0 && !failed,
      exitCode,
      timedOut,
      durationMs: clock.now() - startedAt,
      tail: text.slice(-TAIL_BYTES).trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
      ...(tests ? { tests } : {}),
    };
  };
  try {
    const outcome = await runInside(context, {
      file: 'sh',
      args: ['-c', command],
      ...place,
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

/** Keeps the last `limit` bytes added. */
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

/** Readers of the output work in the work tree: paths are changed to those of the same files there. */
function inWorkTree(text: string, folder: string, root: string): string {
  return folder === root ? text : text.replaceAll(`${folder}/`, `${root}/`);
}

/**
 * What a check's output says about tests; `tests` is null when it ran none. A command that hides its exit code (`npm
 * test | tail`, `|| true`) still has `failed` set when its output leaves no doubt that tests failed. Plugins are
 * consulted where no built-in detector knows the runner.
 */
async function testsIn(check: {
  readonly command: string;
  /** Standard output and error combined, in order of arrival. */
  readonly output: string;
  readonly exitCode: number | null;
  /** Absolute: the work tree, whose scripts the command may name. */
  readonly root: string;
  readonly plugins: Pick<RunPlugins, 'judgeTests'>;
}): Promise<{ readonly tests: TestCounts | null; readonly failed: boolean }> {
  const { command, output, exitCode, root, plugins } = check;
  // The detectors are large, and most commands that load this file run no check.
  const { DECISIVE, judgeTestRun, LOOSE } = await import('../../rules/test-results/index.ts');
  const ours = judgeTestRun({ command, stdout: output, stderr: '', exitCode, scripts: scriptLookup(root) });
  const isKnown = ours.framework !== null && !LOOSE.has(ours.framework);
  const theirs = isKnown ? null : await plugins.judgeTests({ command, output, exitCode });
  const result = theirs?.value ?? ours;
  const { outcome, passed, failed, confidence } = result;
  if (outcome === 'not-a-test') return { tests: null, failed: false };
  const red = (outcome === 'fail' || outcome === 'error') && confidence >= DECISIVE;
  return { tests: { outcome, passed, failed }, failed: red };
}
