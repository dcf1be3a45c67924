import { hooksWereCalled, openSpool, readSpool, removeSpool } from '../../adapters/workspace/spool.ts';
import type { RunContext } from '../context.ts';
import type { DeskInput } from './input.ts';
import type { OpenDesk } from './open.ts';
import { NOTHING_RECORDED } from './record.ts';
import { toolState } from './tool-calls.ts';

/** What stands inside in place of the control server, where agents cannot reach that. */
export interface DeskSpool {
  readonly dir: string;
  /** Hands what the agent called to the desk, in order, once it has ended. */
  deliver(desk: OpenDesk): Promise<void>;
  remove(): Promise<void>;
}

/** A spool for the agent of this iteration; null where it reaches the control server. */
export async function deskSpool(context: RunContext, input: DeskInput): Promise<DeskSpool | null> {
  const { isolation, git, workspace, emit } = context;
  const { iteration } = input.header;
  if (isolation.reach !== 'spool' || input.snapshot.document === null) return null;
  const { agent: _agent, record: _record, ...state } = await toolState(context, input, NOTHING_RECORDED);
  const { dir } = await openSpool(git.repo.root, iteration, { ...state, workspace });
  return {
    dir,
    async deliver(desk) {
      const notice = (text: string) => emit(iteration, { type: 'notice', level: 'warning', text });
      if (hooksWereCalled(dir)) desk.noteHooks();
      for (const { name, args } of readSpool(dir, notice)) await desk.tool(name, args);
    },
    remove: () => removeSpool(dir),
  };
}
