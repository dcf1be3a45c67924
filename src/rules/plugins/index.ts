export {
  type Checked,
  checkAnalysis,
  checkJudgement,
  checkReason,
  type Found,
  fixFor,
  type Judged,
  joined,
  joinedTo,
  localImports,
  packagesNamed,
  type Said,
} from './replies.ts';
