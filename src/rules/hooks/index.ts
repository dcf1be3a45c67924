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
export { decideLean } from './decide-lean.ts';
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
export { asksForCommits } from './stop.ts';
export { type ParseOptions, parseHook, renderAnswer, renderLegacy } from './wire.ts';
