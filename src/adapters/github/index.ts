export { type GhOptions, listIssues, MOST_ISSUES, needLogin, runGh } from './gh.ts';
