export { isHarness, passedTests, withScripts } from './judging.ts';
export * from './model.ts';
export { storyOf } from './story.ts';
