export type { GuardContext, GuardProfile } from './api.ts';
export { isSecretPath } from './dangers/matching/secrets.ts';
export { type ExplainedCommand, type Explanation, explainCommand, judgeCommand } from './judge-command.ts';
export { isInOtherTree } from './paths.ts';
