export { answerCall, type ToolOutcome, type ToolState } from './answer-call.ts';
export {
  ALL_TOOLS,
  asOffered,
  problemOfCall,
  READING_TOOLS,
  type ToolAnswer,
  type ToolSpec,
  toolsOf,
} from './specs.ts';
