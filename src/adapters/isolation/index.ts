export { isAgainst, TASK_FUTURE } from './battery/attempt.ts';
export type { BatteryRow } from './battery/run.ts';
export type { BatteryControl, BatteryRepository } from './battery/scene.ts';
export { BACKENDS, type Chosen, chooseIsolation, type OpenBackend, waysOf } from './choose.ts';
export { lazyHomes } from './home/open.ts';
export { loginStore, removeLogins } from './home/store.ts';
export { type EffectivePolicy, type Granted, isolationInput } from './policy.ts';
export type {
  Backend,
  Command,
  ContainerSettings,
  HomeNeeds,
  InsideWorkspace,
  Isolation,
  IsolationName,
  Limit,
  Mount,
  OpenHome,
  Policy,
  Probe,
  Provider,
  Refusal,
  WrappedCommand,
} from './port.ts';
export { type System, thisSystem } from './system.ts';
