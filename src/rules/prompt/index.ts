export { addedBy } from './added.ts';
export { failingCheck, failureText, learnedRules } from './parts.ts';
export { type Prompt, promptVariables, renderPrompt } from './render.ts';
