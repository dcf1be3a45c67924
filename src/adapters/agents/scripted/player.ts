import { text } from 'node:stream/consumers';
import { readText } from '../../../platform/index.ts';
import { perform } from './perform.ts';
import { emit, openStage, type ResultLine, refusalIn, type Script, type Stage } from './stage.ts';

/**
 * The scripted agent's program: `player SCRIPT.json`, the prompt on standard input, AgentEvents as JSON lines on
 * standard output, a `result` line at the end; exit 0, or 1 after a failure.
 */
async function play(path: string): Promise<void> {
  const source = await readText(path);
  if (source === null) throw new Error(`no script at ${path}`);
  const script = JSON.parse(source) as Script;
  const stage = openStage(script, await text(process.stdin));
  emit({ type: 'session', sessionId: script.sessionId, model: script.model, version: null });
  await performInside(script, stage);
  process.stdout.write(`${JSON.stringify(resultOf(stage))}\n`);
  process.exitCode = stage.ending?.error ? 1 : 0;
}

/** How many times a refused stop is tried: then the agent gives up, and the loop judges the state it left. */
const STOPS = 3;

async function performInside(script: Script, stage: Stage): Promise<void> {
  const hooks = script.hooks ? stage.inside : null;
  await hooks?.hook('UserPromptSubmit', { prompt: stage.prompt });
  await perform(script.actions, stage);
  if (!hooks) return;
  for (let stops = 1; stops <= STOPS && stage.ending === null; stops += 1) {
    const refusal = refusalIn(await hooks.hook('Stop', { last_assistant_message: stage.said.at(-1) ?? '' }));
    if (refusal === null || script.refused.length === 0) break;
    emit({ type: 'notice', text: refusal });
    await perform(script.refused, stage);
  }
  await hooks.hook('SessionEnd', { reason: 'other' });
}

function resultOf(stage: Stage): ResultLine {
  return {
    type: 'result',
    text: stage.said.join('\n\n'),
    usage: stage.usage,
    costUsd: stage.costUsd,
    turns: stage.toolCalls + 1,
    limit: stage.ending?.limit ?? null,
    error: stage.ending?.error ?? null,
  };
}

void play(process.argv[2] ?? 'script.json');
