export {
  type Checked,
  checkAnalysis,
  checkJudgement,
  checkReason,
  type Found,
  type Judged,
  joined,
  joinedTo,
  localImports,
  mendFor,
  packagesNamed,
  type Said,
} from './replies.ts';
