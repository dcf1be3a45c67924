export { armsOf, attemptsLeft, chosenTasks, DEFAULT_PROMPT } from './arms.ts';
export { type Mined, mine } from './mine.ts';
export type { LabAsked, LabRun } from './run.ts';
export { labFolder, readResults, readTasks, withLab } from './store.ts';
