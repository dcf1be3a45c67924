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
} from './replies.ts';
