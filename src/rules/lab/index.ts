export { isHarness, withScripts } from './judging.ts';
export * from './model.ts';
