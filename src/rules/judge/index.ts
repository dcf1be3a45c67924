export { checkCommands, greenCommands, redAtBaseline } from './checks.ts';
export { bookkeepingMessage, subjectOf } from './commit-message.ts';
export type { Evidence, Outcome, PutBack, Refusal, Snapshot, StoryProof, WorkLeft } from './evidence.ts';
export { findingsOf, judgeBacklog } from './hear.ts';
export { judgeIteration } from './judge-iteration.ts';
export { lookupsFor, needsProof } from './lookups.ts';
export { userReceipt } from './receipt.ts';
export { interruptedLine } from './records.ts';
