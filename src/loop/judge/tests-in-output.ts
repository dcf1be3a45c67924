import { scriptLookup } from '../../adapters/workspace/hooks/script-lookup.ts';
import type { TestCounts } from '../../contracts/model.ts';
import { DECISIVE } from '../../rules/verdict/api.ts';
import { judgeTestRun } from '../../rules/verdict/judge-test-run.ts';
import type { PluginDesk } from '../plugin-desk.ts';

/**
 * What a check's output says about tests; `tests` is null when it ran none. A command that hides its exit code
 * (`npm test | tail`, `|| true`) has `failed` all the same when its output leaves no doubt that tests failed. Where no
 * detector of ours recognises the command, plugins are asked.
 */
export async function testsIn(check: {
  readonly command: string;
  /** Standard output and error together, in the order they came. */
  readonly output: string;
  readonly exitCode: number | null;
  /** Absolute: the work tree, whose scripts the command may name. */
  readonly root: string;
  readonly plugins: Pick<PluginDesk, 'judgeTests'>;
}): Promise<{ readonly tests: TestCounts | null; readonly failed: boolean }> {
  const { command, output, exitCode, root, plugins } = check;
  const ours = judgeTestRun({ command, stdout: output, stderr: '', exitCode, scripts: scriptLookup(root) });
  const theirs = ours.framework === null ? await plugins.judgeTests({ command, output, exitCode }) : null;
  const verdict = theirs?.value ?? ours;
  const { outcome, passed, failed, confidence } = verdict;
  if (outcome === 'not-a-test') return { tests: null, failed: false };
  const red = (outcome === 'fail' || outcome === 'error') && confidence >= DECISIVE;
  return { tests: { outcome, passed, failed }, failed: red };
}
