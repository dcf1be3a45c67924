export {
  addNotes,
  appendEntry,
  compact,
  initialProgress,
  isLoopLine,
  isSeparator,
  linesOf,
  mergeAgentEntries,
  newlineOf,
  sectionsOf,
} from './progress.ts';
