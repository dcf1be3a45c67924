export type { Breaker, Gate, LeftBudgets, Rate, Shared } from './api.ts';
export {
  ADVANCED_FREE,
  advancedInRow,
  attemptsOf,
  type Estimate,
  estimate,
  everWorkedOn,
  exitBySignals,
  iterationsUsed,
  lastFailure,
  lastViolations,
  signalsOf,
} from './attempts.ts';
export { breakerOf } from './breaker.ts';
export {
  BUDGET,
  budgetText,
  liveOverrun,
  type Remaining,
  rateOf,
  recentCalls,
  remainingUsd,
  spentBy,
  spentIn,
  storyCost,
  turnUse,
} from './budgets.ts';
export { gate, livedMs } from './gate.ts';
export { growing, isIgnored, linesOf, totalsOf } from './growing.ts';
export {
  acceptedSteps,
  byStory,
  isAcceptedAsUndone,
  isUndone,
  STORY_UNDONE,
  type Step,
  undoneDetail,
} from './lost-work.ts';
export { type AnsweredQuestion, answersFor, nextQuestion, type Question, questionsOf } from './questions.ts';
export { routeAgent } from './routing.ts';
