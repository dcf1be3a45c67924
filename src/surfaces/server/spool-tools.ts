import { readDocument } from '../../adapters/workspace/backlog/document.ts';
import { appendSpooledCall, readSpool, readSpoolDesk, type SpoolDesk } from '../../adapters/workspace/spool.ts';
import { NOTHING_RECORDED } from '../../loop/desk/record.ts';
import { answerCall, type ToolOutcome, type ToolState } from '../../rules/tools/answer-call.ts';
import type { ToolAnswer } from '../../rules/tools/api.ts';
import { READING_TOOLS, toolsOf } from '../../rules/tools/specs.ts';
import type { Toolbox } from './toolbox.ts';

const READING: ReadonlySet<string> = new Set(READING_TOOLS.map(({ name }) => name));

const CHECKED_LATER =
  'Recorded. The loop runs the checks when you have ended, and the story counts as finished only if they pass: run them now if you have not. Commit everything and stop.';

/**
 * The tools of a run whose server cannot be reached: judged by the same rules, from the desk that the loop left in the
 * spool, and kept there for the loop to judge again when the agent has ended.
 * @throws Error when the folder is no spool
 */
export function spoolToolbox(dir: string): Toolbox {
  const desk = readSpoolDesk(dir);
  return {
    tools: toolsOf(desk.mode),
    async tool(name, args) {
      const outcome = answerCall(name, args, await stateNow(dir, desk));
      if (READING.has(name) || outcome.answer.isError) return outcome.answer;
      try {
        appendSpooledCall(dir, { at: new Date().toISOString(), name, args });
      } catch (error) {
        return { text: `${name} could not be recorded: ${(error as Error).message}`, isError: true };
      }
      return answerOf(outcome);
    },
  };
}

function answerOf({ answer, needsChecks }: ToolOutcome): ToolAnswer {
  return needsChecks ? { text: CHECKED_LATER, isError: false } : answer;
}

/** The desk with what was called so far: another process of the same client may have served that. */
async function stateNow(dir: string, desk: SpoolDesk): Promise<ToolState> {
  const agent = (await readDocument(desk.workspace)).document ?? desk.snapshot;
  const record = readSpool(dir).reduce(
    (soFar, { name, args }) => answerCall(name, args, { ...desk, agent, record: soFar }).record,
    NOTHING_RECORDED,
  );
  return { ...desk, agent, record };
}
