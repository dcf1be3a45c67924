import type { CheckResult } from '../../contracts/model.ts';
import { SpawnFailed } from '../../platform/process/run-command.ts';
import type { RunContext } from '../context.ts';
import { type InsidePorts, type ProjectCommand, runInside } from '../inside/inside.ts';

/** Bytes of output kept per check: enough for a prompt, bounded for the journal. */
const TAIL_BYTES = 8_000;
const TAIL_LINES = 100;
/** Bytes of output that the verdict on its tests is looked for in. */
const OUTPUT_BYTES = 256 * 1024;

/** Where a check runs: by default in the work tree. */
export type CheckPlace = Pick<ProjectCommand, 'mounts' | 'cwd' | 'env' | 'isolation'>;

/** One check, judged by its exit code and by what its output says about tests. */
export async function runCheck(
  context: InsidePorts & Pick<RunContext, 'clock' | 'plugins'>,
  command: string,
  place: CheckPlace,
): Promise<CheckResult> {
  const { clock } = context;
  const { root } = context.git.repo;
  const startedAt = clock.now();
  const output = tailBuffer(OUTPUT_BYTES);
  // The detectors are large, and most commands that load this file run no check.
  const { testsIn } = await import('./tests-in-output.ts');
  const finish = async (exitCode: number | null, timedOut: boolean): Promise<CheckResult> => {
    const text = inWorkTree(output.text(), place.cwd ?? root, root);
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
      tail: lastLines(text.slice(-TAIL_BYTES), TAIL_LINES),
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

/** Who reads the output works in the work tree: paths in it are those of the same files there. */
function inWorkTree(text: string, folder: string, root: string): string {
  return folder === root ? text : text.replaceAll(`${folder}/`, `${root}/`);
}
