export { type GhOptions, listIssues, MOST_ISSUES, needLogin, runGh, viewPullRequest } from './gh.ts';
export {
  failedChecks,
  failedLog,
  findPullRequest,
  mayWrite,
  type PullRequest,
  type ReviewThread,
  replyTo,
  resolveThread,
  reviewThreads,
} from './pull-request.ts';
