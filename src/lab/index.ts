export { type Judge, type Judgement, judgeTree, openJudge } from './judge.ts';
export { appendResult, type LabTasks, labFolder, readResults, readTasks, withLab, writeTasks } from './store.ts';
