import { chooseActions } from '../../adapters/agents/scripted/choose.ts';
import { loadScenario } from '../../adapters/agents/scripted/scenario.ts';
import type { Action, Scenario } from '../../adapters/agents/scripted/scenario-schema.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import { blobId } from './project.ts';

/** Names git gives to the contents of files, with their paths. */
export type Blobs = ReadonlyMap<string, string>;

/** Every version of a file that the scripted agent wrote in a run. */
export async function writtenInRun(scenario: string, events: readonly RalphEvent[]): Promise<Blobs> {
  return writtenBy(await loadScenario(scenario), events);
}

/**
 * Plays the choices of the scenario again: each start of an agent names all that a step is chosen by, and each write
 * that its events report as done is a file that must not be lost. Pure.
 */
export function writtenBy(scenario: Scenario, events: readonly RalphEvent[]): Blobs {
  const written = new Map<string, string>();
  let selected: Extract<RalphEvent, { type: 'select' }> | null = null;
  let actions: readonly Action[] = [];
  const calls = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'select') selected = event;
    if (event.type === 'agent-start' && selected !== null) {
      const { run, iteration, story: storyId, mode, attempt, reviewCount } = selected;
      actions = chooseActions(scenario, {
        run,
        iteration,
        storyId,
        mode,
        attempt,
        reviewCount,
        try: event.try,
      }).actions;
      calls.clear();
    }
    if (event.type !== 'agent') continue;
    if (event.event.type === 'tool-call' && event.event.name === 'Write')
      calls.set(event.event.id, event.event.summary);
    if (event.event.type !== 'tool-result' || !event.event.ok) continue;
    const path = calls.get(event.event.id);
    if (path === undefined) continue;
    for (const { name, input } of actions)
      if (name === 'write' && input.path === path) written.set(blobId(Buffer.from(input.content)), path);
  }
  return written;
}
