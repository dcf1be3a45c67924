export { type ArmFigures, type Comparison, compare, type Tried } from './compare.ts';
export { isHarness, namedIn, passedTests, withScripts } from './judging.ts';
export * from './model.ts';
export { storyOf } from './story.ts';
export { costText, evidence, intervalText, pairText, solvedText } from './words.ts';
