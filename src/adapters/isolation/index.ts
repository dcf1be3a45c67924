export { isAgainst } from './battery/judge.ts';
export { type BatteryRow, runBattery } from './battery/run.ts';
export type { BatteryControl, BatteryRepository } from './battery/scene.ts';
export { BACKENDS, type Chosen, chooseIsolation, type OpenBackend, waysOf } from './choose.ts';
export { buildImage } from './container/image.ts';
export { lazyHomes, loginStore, removeLogins } from './home/homes.ts';
export { type EffectivePolicy, type Granted, isolationInput } from './policy.ts';
export type {
  Backend,
  Claim,
  Command,
  ContainerSettings,
  InsideWorkspace,
  Isolation,
  IsolationName,
  Limit,
  LoginFile,
  Mount,
  OpenHome,
  Policy,
  Refusal,
  WrappedCommand,
} from './port.ts';
export { createSbx, removeSbx } from './sbx/manage.ts';
export { type System, thisSystem } from './system.ts';
export { ownPackage } from './view/own-package.ts';
