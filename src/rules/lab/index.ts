export { type ArmFigures, type Comparison, compare, type Tried } from './compare.ts';
export { isHarness, namedIn, passedTests, withScripts } from './judging.ts';
export {
  type DroppedCommit,
  droppedCommit,
  type LabArm,
  type LabResult,
  type LabTask,
  labResult,
  labTask,
} from './model.ts';
export { storyOf } from './story.ts';
export { costText, evidence, intervalText, pairText, solvedText } from './words.ts';
