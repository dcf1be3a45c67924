export { collectEvidence } from './collect.ts';
export {
  branchMessage,
  pullRequestText,
  storyMessage,
  summaryMarkdown,
  type ToldStory,
} from './texts.ts';
export { APPROVED_BY, issueOf, quoted } from './words.ts';
