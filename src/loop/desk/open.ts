import { homedir, tmpdir } from 'node:os';
import { appendHookLog } from '../../adapters/workspace/hooks/hook-logs.ts';
import { pathFacts } from '../../adapters/workspace/hooks/path-facts.ts';
import { scriptLookup } from '../../adapters/workspace/hooks/script-lookup.ts';
import type { EventBody } from '../../contracts/events.ts';
import type { DeskRecord } from '../../contracts/state/agent-outcome.ts';
import { parseStatusBlock } from '../../rules/analysis/status-block.ts';
import {
  type HookAnswer,
  type HookContext,
  type HookDecision,
  type HookEvent,
  type HookLog,
  NEW_SESSION,
  type SessionState,
} from '../../rules/hooks/api.ts';
import { decide } from '../../rules/hooks/decide.ts';
import { parseHook, renderAnswer } from '../../rules/hooks/wire.ts';
import { toolsOf } from '../../rules/tools/specs.ts';
import type { RunContext } from '../context.ts';
import type { Desk } from '../control.ts';
import { isProtected, loopFiles } from '../keep/loop-files.ts';
import type { DeskInput } from './input.ts';
import { NOTHING_RECORDED } from './record.ts';
import { rollBackNow, toldOfRollBack } from './roll-back-now.ts';
import { seenTests } from './seen-tests.ts';
import { lastMessage, stopFacts } from './stop-facts.ts';
import { answerTool } from './tool-calls.ts';

/** A desk and what was recorded at it. */
export interface OpenDesk extends Desk {
  readonly record: () => DeskRecord;
  /** Hooks were called where only their traces came from. */
  readonly noteHooks: () => void;
  /** Once nothing that was asked is being answered any more: an agent may leave without waiting. Never rejects. */
  readonly settled: () => Promise<void>;
}

/**
 * Opens the desk of one agent process: every hook call is decided by the same pure rules as everywhere else, with the
 * file system, git and the checks as they are now. Calls of one process may come at the same time; what changes the
 * record or asks git is done one after the other.
 */
export function openDesk(context: RunContext, input: DeskInput): OpenDesk {
  const { iteration } = input.header;
  const sessions = new Map<string, SessionState>();
  const inOrder = queue();
  const announced = new Set<unknown>();
  let record = NOTHING_RECORDED;

  const hookFailed = (hook: string, message: string) => context.emit(iteration, { type: 'hook-error', hook, message });

  async function answer(event: HookEvent, payload: unknown): Promise<HookAnswer> {
    record = { ...record, hooked: true };
    const use = (payload as { readonly tool_use_id?: unknown } | null)?.tool_use_id;
    if (event.name === 'PreToolUse') announced.add(use);
    const message = event.name === 'Stop' ? lastMessage(payload) : '';
    if (parseStatusBlock(message)) record = { ...record, statusMessage: message };
    const stop = event.name === 'Stop' ? await inOrder(() => stopFacts(context, input, record)) : null;
    const session = sessions.get(event.session) ?? NEW_SESSION;
    const decision = decide(event, hookContext(context, input, { cwd: event.cwd, session, stop }));
    sessions.set(event.session, decision.session);
    const tests = seenTests(decision, event);
    if (tests) record = { ...record, tests };
    return carryOut(decision, use === undefined || announced.has(use));
  }

  async function carryOut({ answer, effects }: HookDecision, isAnnounced: boolean): Promise<HookAnswer> {
    let said = answer;
    for (const effect of effects) {
      if (effect.kind === 'log') appendLog(effect.log, effect.text);
      if (effect.kind === 'event') context.emit(iteration, isAnnounced ? effect.body : unannounced(effect.body));
      if (effect.kind === 'roll-back') {
        const back = await inOrder(() => rollBackNow(context, input, effect.reason));
        if (back === null) continue;
        record = { ...record, rescue: back.rescue };
        said = toldOfRollBack(said, back);
      }
    }
    return said;
  }

  /** An answer counts more than its trace: a full disk must not turn a denial into a permission. */
  function appendLog(log: HookLog, text: string): void {
    try {
      appendHookLog(context.git.repo.root, log, text);
    } catch (error) {
      hookFailed(log, messageOf(error));
    }
  }

  return {
    tools: toolsOf(input.header.mode),
    record: () => record,
    settled: () => inOrder(async () => {}),
    noteHooks: () => {
      record = { ...record, hooked: true };
    },
    hookFailed: (message) => hookFailed('hook', message),
    async hook(payload) {
      const event = parseHook(payload);
      try {
        return renderAnswer(event, await answer(event, payload));
      } catch (error) {
        // Fail open: a hook never breaks the session of the agent, and settle judges everything again.
        hookFailed(event.name, messageOf(error));
        return {};
      }
    },
    tool: (name, args) =>
      inOrder(async () => {
        const { answer, record: after } = await answerTool(context, input, record, name, args);
        record = after;
        return answer;
      }),
  };
}

/** A forged call is not refused, which would only teach to forge two; it is marked. */
function unannounced(body: EventBody): EventBody {
  return body.type === 'test-verdict' ? { ...body, unannounced: true } : body;
}

function hookContext(
  context: RunContext,
  { header, story, windows }: DeskInput,
  { cwd, session, stop }: Pick<HookContext, 'session' | 'stop'> & { readonly cwd: string },
): HookContext {
  const { clock, config, git, workspace } = context;
  return {
    profile: 'run',
    root: git.repo.root,
    home: context.env['HOME'] ?? homedir(),
    temp: [...new Set([tmpdir(), '/tmp'])],
    now: clock.now(),
    run: {
      run: header.run,
      iteration: header.iteration,
      mode: header.mode,
      story: header.story,
      isProtected: (path) => isProtected(workspace, path),
      loopFiles: loopFiles(workspace),
      hostFiles: workspace.hostFiles ?? [],
      rollbackAtOnce: config.rollback === 'immediate',
      storyText: `${story.id} ${story.title}`,
    },
    session,
    paths: pathFacts,
    scripts: scriptLookup(cwd, git.repo.root),
    guard: config.guard,
    window: { env: config.context.window, seen: windows, divisor: config.context.bytesPerToken },
    stop,
    maxRefusals: config.hooks.stopRefusals,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs tasks one after the other; one that fails does not hold up the next. */
function queue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => undefined);
    return next;
  };
}
