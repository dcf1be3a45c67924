import {
  appendSpooledCall,
  readDocument,
  readSpool,
  readSpoolSession,
  type SpoolSession,
} from '../../adapters/workspace/index.ts';
import { NOTHING_RECORDED } from '../../loop/index.ts';
import { answerCall, READING_TOOLS, type ToolState, toolsOf } from '../../rules/tools/index.ts';
import type { Toolbox } from './tool-server.ts';

const READING: ReadonlySet<string> = new Set(READING_TOOLS.map(({ name }) => name));

const CHECKED_LATER =
  'Recorded. The loop runs the checks when you have ended, and the story counts as finished only if they pass: run them now if you have not. Then stop.';

/**
 * The tools of a run whose server cannot be reached: judged by the same rules, from the session that the loop left in the
 * spool, and kept there for the loop to judge again when the agent has ended.
 * @throws Error when the folder is not a spool
 */
export function spoolToolbox(dir: string): Toolbox {
  const session = readSpoolSession(dir);
  return {
    tools: toolsOf(session.mode),
    async tool(name, args) {
      const outcome = answerCall(name, args, await stateNow(dir, session));
      if (READING.has(name) || outcome.answer.isError) return outcome.answer;
      try {
        appendSpooledCall(dir, { at: new Date().toISOString(), name, args });
      } catch (error) {
        return { text: `${name} could not be recorded: ${(error as Error).message}`, isError: true };
      }
      return outcome.needsChecks ? { text: CHECKED_LATER, isError: false } : outcome.answer;
    },
  };
}

/** The session with all calls so far: another process of the same client may have served some. */
async function stateNow(dir: string, session: SpoolSession): Promise<ToolState> {
  const agent = (await readDocument(session.workspace)).document ?? session.snapshot;
  const record = readSpool(dir).reduce(
    (soFar, { name, args }) => answerCall(name, args, { ...session, agent, record: soFar }).record,
    NOTHING_RECORDED,
  );
  return { ...session, agent, record };
}
