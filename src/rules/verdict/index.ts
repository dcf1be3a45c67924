export { DECISIVE, type ScriptLookup, type TestOutcome, type TestRun, type TestVerdict } from './api.ts';
export { type ExplainedVerdict, explainTestRun, judgeTestRun } from './judge-test-run.ts';
export { findTampering } from './tampering/find-tampering.ts';
export { isTestFile } from './test-files.ts';
