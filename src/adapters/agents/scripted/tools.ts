import type { ActionInput } from './scenario-schema.ts';
import { emit, Mistake, type Stage } from './stage.ts';

/** Calls one of the run's tools. A refusal is the tool's answer, not the script's mistake. */
export async function tool(input: ActionInput<'tool'>, stage: Stage): Promise<void> {
  if (!stage.inside) throw new Mistake('there is no run beside this agent: tools cannot be called');
  stage.toolCalls += 1;
  const id = `call-${stage.toolCalls}`;
  emit({ type: 'tool-call', id, name: input.name, summary: JSON.stringify(input.arguments) });
  const { text, ok } = await stage.inside.tool(input.name, input.arguments);
  emit({ type: 'tool-result', id, ok, summary: text });
}
