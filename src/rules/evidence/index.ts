export { collectEvidence } from './collect.ts';
export { branchMessage, storyMessage, type ToldStory } from './story-message.ts';
export { type PullRequestText, pullRequestText, summaryMarkdown } from './texts.ts';
export { APPROVED_BY, issueOf, quoted } from './words.ts';
