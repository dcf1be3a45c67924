import { homedir, tmpdir } from 'node:os';
import {
  appendHookLog,
  MOST_BACKLOG_BYTES,
  pathFacts,
  readDocument,
  scriptLookup,
  writeFiles,
} from '../../adapters/workspace/index.ts';
import { type EventBody, messageOf, type SessionRecord, type Violation } from '../../contracts/index.ts';
import { oneAtATime, readInside } from '../../platform/index.ts';
import { parseStatusBlock } from '../../rules/analysis/index.ts';
import { mergeClaims } from '../../rules/backlog/index.ts';
import {
  asksForCommits,
  type HookAnswer,
  type HookContext,
  type HookDecision,
  type HookEvent,
  type HookLog,
  NEW_SESSION,
  parseHook,
  renderAnswer,
  type SessionState,
  type StopFacts,
} from '../../rules/hooks/index.ts';
import { judgeBacklog } from '../../rules/judge/index.ts';
import { toolsOf } from '../../rules/tools/index.ts';
import { isProtectedPath } from '../../rules/trust/index.ts';
import type { RunContext } from '../context.ts';
import { loopFiles } from '../protect/loop-files.ts';
import { type AgentAtWork, NOTHING_RECORDED } from './record.ts';
import { answerTool, type OpenSession, summaryOf } from './tools.ts';

/**
 * Opens the session of one agent process: every hook call is decided by the same pure rules as elsewhere, with the current
 * file system, git and checks. Calls of one process may arrive at the same time; operations that change the record or
 * call git run one after the other.
 */
export function openSession(context: RunContext, input: AgentAtWork): OpenSession {
  const { iteration } = input.header;
  const sessions = new Map<string, SessionState>();
  const inOrder = oneAtATime();
  const announced = new Set<unknown>();
  let record = NOTHING_RECORDED;
  let hookCharacters = 0;

  const hookFailed = (hook: string, message: string) => context.emit(iteration, { type: 'hook-error', hook, message });

  async function answer(event: HookEvent, payload: unknown): Promise<HookAnswer> {
    record = { ...record, hooked: true };
    const use = (payload as { readonly tool_use_id?: unknown } | null)?.tool_use_id;
    if (event.name === 'PreToolUse') announced.add(use);
    const message = event.name === 'Stop' ? lastMessage(payload) : '';
    if (parseStatusBlock(message)) record = { ...record, statusMessage: message };
    const stop = event.name === 'Stop' ? await inOrder(() => stopFacts(context, input, record)) : null;
    // Loads the guard: not in an iteration without a hook call. Nothing may wait between reading a session and its update.
    const { decide } = await import('../../rules/hooks/decide.ts');
    const session = sessions.get(event.session) ?? NEW_SESSION;
    const decision = decide(event, hookContext(context, input, { cwd: event.cwd, session, stop }));
    sessions.set(event.session, decision.session);
    return carryOut(decision, use === undefined || announced.has(use));
  }

  async function carryOut({ answer, effects }: HookDecision, isAnnounced: boolean): Promise<HookAnswer> {
    let said = answer;
    for (const effect of effects) {
      if (effect.kind === 'log') appendLog(effect.log, effect.text);
      if (effect.kind === 'tests') record = { ...record, tests: effect.seen };
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

  /** An answer matters more than its log line: a full disk must not turn a denial into a permission. */
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
    takeHookCharacters() {
      const characters = hookCharacters;
      hookCharacters = 0;
      return characters;
    },
    hookFailed: (message) => hookFailed('hook', message),
    async hook(payload) {
      const event = parseHook(payload);
      try {
        const said = await answer(event, payload);
        hookCharacters += said.text?.length ?? 0;
        return renderAnswer(event, said);
      } catch (error) {
        // Fail open: a hook never breaks the agent's session, and everything is judged again at the end.
        hookFailed(event.name, messageOf(error));
        return {};
      }
    },
    toolRefused: (tool, args, refused) =>
      context.emit(iteration, { type: 'tool-call', tool, summary: summaryOf(args), refused }),
    tool: (name, args) =>
      inOrder(async () => {
        const { answer, record: after } = await answerTool(context, input, record, name, args);
        // Hooks are not in order with this: what they recorded meanwhile stays.
        const { claim, edits, notes, patterns } = after;
        record = { ...record, claim, edits, notes, patterns };
        return answer;
      }),
  };
}

/** A forged call is marked, not refused: a refusal would only teach the agent to forge two. */
function unannounced(body: EventBody): EventBody {
  return body.type === 'test-result' ? { ...body, unannounced: true } : body;
}

function hookContext(
  context: RunContext,
  { header, windows }: AgentAtWork,
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
      isProtected: (path) => isProtectedPath(workspace, path),
      loopFiles: loopFiles(workspace),
      hostFiles: workspace.hostFiles ?? [],
      rollbackAtOnce: config.rollback === 'immediate',
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

/** What the agent would leave if it stopped now, judged as it would be at the end. */
async function stopFacts(context: RunContext, input: AgentAtWork, record: SessionRecord): Promise<StopFacts> {
  const [violations, uncommitted] = await Promise.all([
    violationsNow(context, input, record),
    asksForCommits(input.header.mode, context.config) ? uncommittedNow(context, input) : [],
  ]);
  return { violations, uncommitted };
}

async function violationsNow(
  context: RunContext,
  { header, snapshot }: AgentAtWork,
  record: SessionRecord,
): Promise<readonly Violation[]> {
  const { config, workspace } = context;
  const now = await readDocument(workspace);
  const judgement = judgeBacklog({ ...header, ...config, before: snapshot, now, edits: record.edits });
  const merged = mergeClaims({
    mode: header.mode,
    story: header.story,
    skipReview: context.config.skipReview,
    tool: record.claim,
    backlog: judgement.claim,
    block: parseStatusBlock(record.statusMessage ?? ''),
  });
  return [...judgement.violations, ...merged.violations];
}

/**
 * Work of this iteration that no commit holds yet; files that were dirty before and are unchanged are not the agent's.
 */
async function uncommittedNow(context: RunContext, { header }: AgentAtWork): Promise<readonly string[]> {
  const { agentTree, git, workspace } = context;
  const after = await agentTree.soFar(header);
  if (after.changed.length === 0) return [];
  const own = new Set(loopFiles(workspace));
  const touched = new Set(after.changed.map(({ path }) => path));
  return (await git.changes(after.head, after.tree))
    .map(({ path }) => path)
    .filter((path) => touched.has(path) && !own.has(path) && !isProtectedPath(workspace, path));
}

/** The agent's last message, as its client reports it with a Stop. */
function lastMessage(payload: unknown): string {
  const message = (payload as { readonly last_assistant_message?: unknown } | null)?.last_assistant_message;
  return typeof message === 'string' ? message : '';
}

interface RolledBack {
  /** Full ref of the rescue. */
  readonly rescue: string;
  /** The name by which the agent finds it. */
  readonly name: string;
  /** The commit to which the agent must reset its own HEAD; null when HEAD is there already. */
  readonly resetTo: string | null;
}

/**
 * Takes the iteration's work back while the agent is alive (`rollback: immediate`). Backlog and progress log keep the
 * agent's changes: knowledge survives a rollback, and is judged at the end.
 * @returns null when there was nothing to roll back
 */
async function rollBackNow(
  context: RunContext,
  { header, checkpoint }: AgentAtWork,
  reason: string,
): Promise<RolledBack | null> {
  const { agentTree, git, isolation, workspace, emit } = context;
  const after = await agentTree.soFar(header);
  const rescue = await agentTree.keep(header, after, reason);
  if (rescue === null) return null;
  await agentTree.meanwhile(header, async () => {
    const own: Record<string, Uint8Array | null> = {};
    for (const path of loopFiles(workspace)) {
      const found = await readInside(git.repo.root, path, MOST_BACKLOG_BYTES);
      // A file that cannot be read does not stay: it gets its earlier content.
      if (found.bytes !== null || found.why === null) own[path] = found.bytes;
    }
    await git.rollback(checkpoint);
    await writeFiles(git.repo.root, own);
  });
  emit(header.iteration, { type: 'rollback', rescue, files: after.changed.length });
  if (!isolation.coversGitDir) return { rescue, name: rescue, resetTo: null };
  // The rescue's ref is not in the agent's copy of the git dir, but its objects are; and HEAD there belongs to the
  // agent.
  const commit = (await git.rescues()).find(({ ref }) => ref === rescue)?.commit ?? rescue;
  return { rescue, name: commit, resetTo: after.head === checkpoint.head ? null : checkpoint.head };
}

/** The answer to the tool call that showed the failure, with what happened to the work. */
function toldOfRollBack(answer: HookAnswer, { name, resetTo }: RolledBack): HookAnswer {
  const said = answer.text === undefined ? '' : `${answer.text}\n\n`;
  const reset = resetTo === null ? '' : ` So were your commits: run \`git reset ${resetTo}\`.`;
  const told = `The tests failed, so the work tree was rolled back to the start of this iteration. Your work is kept: \`git show ${name}\` shows it, \`git show ${name}:PATH > PATH\` brings back a file.${reset} Find the cause before you write it again.`;
  return { kind: 'block', text: said + told };
}
