export { joinBacklogs, joinProgress } from './join.ts';
export { type LaneMark, laneMarkOf, type Misfit, misfitsOf, type NextStory, nextForLane } from './lanes.ts';
export { NO_BONDS, type Portion, type Stretch, stretchesOf, type WorkCommit, withBond } from './portions.ts';
export { schedule } from './schedule.ts';
export { startable } from './startable.ts';
