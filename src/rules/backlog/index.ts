export type {
  AcceptedWeakening,
  BacklogDocument,
  Judgement,
  Loaded,
  LoadInput,
  Receipt,
  RejectedReceipt,
  Selection,
} from './api.ts';
export { differs } from './changes.ts';
export { citedBy, mergeClaims, type ShownDone, whyNotShown } from './claims.ts';
export { type BacklogSource, editBacklog, loadBacklog, loadSource, propose, removeStory } from './document.ts';
export { STORY_FIELDS, STORY_RULES } from './formats/fields.ts';
export { parseJson } from './formats/json.ts';
export { repairJson } from './formats/json-repair.ts';
export { type PlanBlock, readBlocks } from './formats/markdown-blocks.ts';
export { doneFlag } from './formats/prd-done.ts';
export { findStoryLists, type Path, type StoryList } from './formats/prd-lists.ts';
export { FIELD_NAMES, type Fields, foldKey, isEmpty, isFields, NAMES } from './formats/prd-names.ts';
export { priorityOf } from './formats/priority.ts';
export { isNative, readTasks } from './formats/tasks.ts';
export { decodeText, lineAt, lineEnding } from './formats/text.ts';
export { derivedId, nextId, safeStoryId, uniqueIds } from './ids.ts';
export { judge } from './judge.ts';
export { restOf } from './reviews/findings.ts';
export {
  acceptedAmong,
  feedbackText,
  type HeardReview,
  hearReview,
  isSettled,
  type Numbered,
  toAnswer,
  unanswered,
  unansweredText,
  withRequested,
} from './reviews/memory.ts';
export { mergeVotes, votesOf } from './reviews/panel.ts';
export {
  type AppliedClaim,
  AWAITS_APPROVAL,
  applyClaim,
  BLOCKED_AT_CAP,
  BLOCKED_CONVERGED,
  CAP_MARK,
  isBlockedByReviews,
} from './reviews/review.ts';
export {
  earlierReceipts,
  mergeFindings,
  mergeReceipt,
  readFindings,
  readReceipt,
  readReceipts,
  withoutApproval,
} from './reviews/reviews.ts';
export { isDone, modeOf, select, storyRow, storyState } from './select.ts';
export { checkDependencies, validateBacklog } from './validate.ts';
