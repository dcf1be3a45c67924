export { type Contained, containedChecks, isTestFile, isTestName, projectChecks } from './choose.ts';
export {
  DEEPER,
  jsonFields,
  type ProjectFiles,
  READ,
  TEST_FOLDERS,
  TEST_NAME,
  textOf,
  unreadable,
} from './files.ts';
