export {
  type HookAnswer,
  type HookContext,
  type HookDecision,
  type HookEffect,
  type HookEvent,
  type HookLog,
  NEW_SESSION,
  type PathFacts,
  type RunFacts,
  type SessionState,
  type StopFacts,
} from './api.ts';
export { watchContext } from './context-monitor.ts';
export { foldSession } from './sessions.ts';
export {
  EMPTY_SETTINGS,
  hasAnyHooks,
  hasHooks,
  hookCommand,
  hookGroups,
  settingsFaults,
  withHooks,
  withoutHooks,
  withoutStringForms,
} from './settings.ts';
export { runSteps, type Step, startSession } from './steps.ts';
export { asksForCommits } from './stop.ts';
export { type ParseOptions, parseHook, renderAnswer, renderLegacy, toolUse } from './wire.ts';
