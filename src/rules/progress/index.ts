export {
  addNotes,
  appendEntry,
  compact,
  initialProgress,
  isLoopLine,
  isSeparator,
  linesOf,
  linesWithout,
  mergeAgentEntries,
  newlineOf,
  sectionsOf,
  withoutEnd,
} from './progress.ts';
