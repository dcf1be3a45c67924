import type { Mode } from '../model.ts';

/** `.ralph-active`: tells others, and hooks, that a run is live. */
export interface ActiveMarker {
  readonly version: 1;
  readonly timestamp: string;
  readonly heartbeat: string;
  readonly pid: number;
  readonly host: string;
  readonly run: string;
  readonly maxIterations: number;
  readonly isolation: string;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly iterationMode: Mode | null;
  readonly story: string | null;
  readonly preIterationSnapshot: Readonly<
    Record<string, { readonly passes: boolean; readonly reviewStatus: string | null; readonly reviewCount: number }>
  > | null;
  readonly controlServer: string | null;
}
