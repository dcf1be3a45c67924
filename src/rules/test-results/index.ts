export { DECISIVE, type ScriptLookup, type TestOutcome, type TestResult, type TestRun } from './api.ts';
export { LOOSE } from './decide.ts';
export { type ExplainedResult, explainTestRun, judgeTestRun } from './judge-test-run.ts';
export { findTampering } from './tampering/find-tampering.ts';
