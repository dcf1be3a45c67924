export { armsOf, attemptsLeft, chosenTasks, DEFAULT_PROMPT, type Planned } from './arms.ts';
export { type Judge, type JudgeInput, type Judgement, judgeTree, openJudge } from './judge.ts';
export { type Mined, mine } from './mine.ts';
export { type LabRun, runLab } from './run.ts';
export { appendResult, type LabTasks, labFolder, readResults, readTasks, withLab, writeTasks } from './store.ts';
