export { joinBacklogs, joinProgress } from './join.ts';
export { type LaneMark, laneMarkOf, type Misfit, misfitsOf, type NextStory, nextForLane } from './lanes.ts';
export { schedule } from './schedule.ts';
