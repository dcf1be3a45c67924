import type { StoryState } from '../../contracts/model.ts';
import type { Selection } from '../../rules/backlog/api.ts';
import type { LaneNow } from '../../streams/parallel/lanes-now.ts';
import type { NextStep } from './next-step.ts';
import type { EarlierRun, RunStatus } from './run-status.ts';
import type { SafeguardsView } from './safeguards-view.ts';

export interface StatusView {
  readonly project: string;
  readonly specDir: string;
  readonly branch: string | null;
  readonly run: RunStatus | null;
  /** The last run that had iterations, where the last of all ended before its first one. */
  readonly worked: EarlierRun | null;
  /** There is no backlog: the agent's own words decide when the work is done. */
  readonly lonePrompt: boolean;
  /** null when the backlog is missing or cannot be read. */
  readonly stories: Readonly<Record<StoryState | 'total', number>> | null;
  /** Stories that lanes of `ralph run --parallel` have. */
  readonly lanes: readonly LaneNow[];
  /** Of those that no lane has. */
  readonly upNext: Selection | null;
  /** null when the configuration cannot be read: it has their thresholds. */
  readonly safeguards: SafeguardsView | null;
  readonly rescues: number;
  readonly next: NextStep;
}
