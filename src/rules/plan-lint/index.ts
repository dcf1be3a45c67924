export type { PlanRemark } from './api.ts';
export { hasPrdContent } from './lint.ts';
