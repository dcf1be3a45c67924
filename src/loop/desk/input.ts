import type { Checkpoint } from '../../adapters/git/port.ts';
import type { Story } from '../../contracts/model.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import type { Snapshot } from '../keep/snapshot.ts';

/** What a desk stands beside. */
export interface DeskInput {
  readonly header: IterationHeader;
  readonly checkpoint: Checkpoint;
  readonly snapshot: Snapshot;
  readonly story: Story;
  /** Context windows by model, as this workspace has seen them. */
  readonly windows: Readonly<Record<string, number>>;
}
