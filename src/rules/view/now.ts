import type { AgentEvent } from '../../contracts/agent.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import { shortLine } from '../printable.ts';
import { contextOf } from './context.ts';
import { fileOfTool } from './file-of-tool.ts';
import type { IterationView, Now } from './model.ts';

/** Before the first event. */
export const NOTHING_YET: Now = {
  phase: 'starting',
  since: 0,
  iteration: 0,
  mode: null,
  story: null,
  title: null,
  agent: null,
  model: null,
  agentSince: null,
  tool: null,
  file: null,
  check: null,
  waiting: null,
  window: null,
  context: null,
  costUsd: 0,
};

/**
 * What happens after an event. While iterations run beside one another it is about the one that was selected last.
 * @param row of the event's iteration, as it was before
 */
export function nowAfter(before: Now, event: RalphEvent, at: number, row: IterationView | undefined): Now {
  const now = isOfAnother(before, event) ? takeUp(before, row) : before;
  if (now === null) return before;
  const phase = (name: Now['phase'], more: Partial<Now> = {}): Now => ({ ...now, ...more, phase: name, since: at });
  switch (event.type) {
    case 'run-start':
      return { ...NOTHING_YET, since: at, iteration: now.iteration };
    case 'baseline':
      return phase('starting', { check: null });
    case 'select': {
      const { iteration, mode, story, title } = event;
      return { ...NOTHING_YET, phase: 'checkpoint', since: at, iteration, mode, story, title };
    }
    case 'agent-start': {
      const { agent, model, window } = event;
      const known = { model: model ?? now.model, window: window ?? now.window };
      return phase('agent', { ...IDLE, agent, ...known, agentSince: at });
    }
    case 'agent':
      return withAgentEvent(now, event.event, at);
    case 'context-use': {
      const { tokens, window, percent } = event;
      return { ...now, window, context: { tokens, window, percent } };
    }
    case 'agent-end':
      return phase('settling', IDLE);
    case 'transient':
      return phase('retrying');
    case 'check-start':
      // The checks of the first tree run beside the first agent.
      if (event.iteration === 0 && now.story !== null) return now;
      return phase(event.iteration === 0 ? 'baseline' : 'check', { check: shortLine(event.command) });
    case 'check':
      if (event.iteration === 0 && now.story !== null) return now;
      // A Stop hook has checks run while its agent lives.
      return phase(event.iteration === 0 ? 'baseline' : now.agentSince === null ? 'settling' : 'agent', {
        check: null,
      });
    case 'verdict':
      return phase('concluding');
    case 'iteration-end':
      return { ...NOTHING_YET, phase: 'between', since: at, iteration: now.iteration };
    case 'wait': {
      const { why, until, text } = event;
      return phase('waiting', { waiting: { why, until, text } });
    }
    case 'wait-end':
      return phase('between', { waiting: null });
    case 'turn-end': {
      const { next, why, until, text } = event;
      const waiting = next === 'later' && why !== null ? { why, until, text } : null;
      return { ...NOTHING_YET, phase: 'between', since: at, iteration: now.iteration, waiting };
    }
    case 'run-end':
      return { ...NOTHING_YET, phase: 'ended', since: at, iteration: now.iteration };
    default:
      return now;
  }
}

/** No process at work. */
const IDLE = { agentSince: null, tool: null, file: null, check: null, costUsd: 0 } as const;

function isOfAnother(now: Now, event: RalphEvent): boolean {
  return event.iteration > 0 && event.iteration !== now.iteration && event.type !== 'select';
}

/** An iteration that goes on after the one that was shown has ended; null while that one goes on. */
function takeUp(now: Now, row: IterationView | undefined): Now | null {
  if (now.story !== null || row === undefined || row.endedAt !== null) return null;
  const { iteration, mode, story, title, agent, model } = row;
  const agentSince = row.earlier === null ? null : now.since;
  const phase = agentSince === null ? 'settling' : 'agent';
  return { ...NOTHING_YET, phase, since: now.since, iteration, mode, story, title, agent, model, agentSince };
}

function withAgentEvent(now: Now, event: AgentEvent, at: number): Now {
  switch (event.type) {
    case 'session':
      return { ...now, model: now.model ?? event.model, window: event.window ?? now.window };
    case 'tool-call': {
      const { id } = event;
      const name = shortLine(event.name, 80);
      const what = shortLine(event.summary);
      return { ...now, tool: { id, name, what, since: at }, file: fileOfTool(name, what) ?? now.file };
    }
    case 'tool-result':
      return now.tool?.id === event.id ? { ...now, tool: null } : now;
    case 'usage': {
      const { contextTokens, costUsd } = event;
      const context = contextTokens === null ? now.context : contextOf(contextTokens, now.window);
      return { ...now, context, costUsd: costUsd ?? now.costUsd };
    }
    default:
      return now;
  }
}
