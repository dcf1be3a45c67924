export {
  appendStories,
  type ForeignIssue,
  type IssueSource,
  type IssueStory,
  idOf,
  issueStories,
  issuesOfAddress,
  linkWaiting,
  readIssueSource,
} from './issues.ts';
export { fits, LAYOUTS, type Layout, layoutOf, PARTS, type Part } from './layouts.ts';
export { importProgress } from './progress.ts';
export { flatten, migrateSettings, readAssignments, readToml, type SettingMove, settingsOf } from './read-settings.ts';
export { storyOfSentence } from './sentence.ts';
export { backlogProblems, isEmptyBacklog, type NativeBacklog, type NativeDefaults, toNative } from './to-native.ts';
export { type Understood, understand } from './understand.ts';
