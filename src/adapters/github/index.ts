export { type GhOptions, listIssues, MOST_ISSUES, needLogin, runGh, viewPullRequest } from './gh.ts';
