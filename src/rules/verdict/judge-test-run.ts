import type { TestRun, TestVerdict } from './api.ts';
import { cleanOutput } from './clean.ts';
import { decide } from './decide.ts';
import type { Finding } from './detectors/finding.ts';
import { detect } from './detectors/registry.ts';
import { knownOf } from './evidence.ts';
import { recognise } from './recognise/recognise.ts';
import type { Recognition } from './recognise/scope.ts';
import { refine } from './refine.ts';

/** A verdict with its full evidence. */
export interface ExplainedVerdict {
  readonly verdict: TestVerdict;
  /** The test runs recognised in the command. */
  readonly recognition: Recognition;
  /** What the detectors found in the output. */
  readonly findings: readonly Finding[];
}

/** Was this command a test run, and how did it end? Never throws. */
export function judgeTestRun(run: TestRun): TestVerdict {
  return explainTestRun(run).verdict;
}

/** {@link judgeTestRun} with its reasons. */
export function explainTestRun({ command, stdout, stderr, exitCode, scripts }: TestRun): ExplainedVerdict {
  const output = cleanOutput(stdout, stderr);
  const recognition = refine(recognise(command, scripts), output);
  const findings = recognition.steps.length === 0 ? [] : detect(output, frameworksOf(recognition));
  const known = knownOf(recognition, exitCode, output);
  return { verdict: decide({ recognition, findings, known, output }), recognition, findings };
}

/** The frameworks whose output counts; null if one of the runs may use any framework. */
function frameworksOf({ steps }: Recognition): ReadonlySet<string> | null {
  const frameworks = new Set<string>();
  for (const { certainty, framework } of steps) {
    if (certainty !== 'test') continue;
    if (framework === null) return null;
    frameworks.add(framework);
  }
  return frameworks.size > 0 ? frameworks : null;
}
