import type { ConfigFlags } from './config-merge.ts';

export interface LoadConfigInput {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
  /** False while a crash has not been recovered from: a configuration that is code is then not run. Default true. */
  readonly runsCode?: boolean;
}
