import type { GuestMount } from './port.ts';

export interface HookFailure {
  readonly hook: string;
  readonly output: string;
}

/** What hooks are run with. */
export interface HookSetting {
  /** Index and message file as the hooks see them. */
  readonly index: string;
  readonly message: string;
  readonly mounts: readonly GuestMount[];
}
