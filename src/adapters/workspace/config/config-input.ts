import type { ConfigFlags } from './config-merge.ts';
import type { OnUntrusted } from './trust.ts';

export interface LoadConfigInput {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
  /** About what needs a person's trust and has none; `given`: it was judged before, or is the caller's own. */
  readonly onUntrusted: OnUntrusted | 'given';
  /** False while a crash has not been recovered from: a configuration that is code is then not run. Default true. */
  readonly runsCode?: boolean;
}
