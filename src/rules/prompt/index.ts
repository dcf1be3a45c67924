export { failingCheck, failureText, learnedRules } from './parts.ts';
export { PROMPT_TEMPLATE, promptVariables, renderPrompt } from './render.ts';
