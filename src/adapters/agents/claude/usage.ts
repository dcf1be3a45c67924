import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import { addUsage } from '../../../rules/usage.ts';
import { asNumber, asObject, type Wire } from '../json-lines.ts';

/** A `usage` object of the Messages API. */
export function apiUsage(wire: Wire): Usage {
  return {
    inputTokens: asNumber(wire['input_tokens']) ?? 0,
    outputTokens: asNumber(wire['output_tokens']) ?? 0,
    cacheReadTokens: asNumber(wire['cache_read_input_tokens']) ?? 0,
    cacheWriteTokens: asNumber(wire['cache_creation_input_tokens']) ?? 0,
  };
}

/** What a request put into the model's window. */
export function contextOf(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}

/** The totals of a `result`: `modelUsage` counts subagents and side calls too, `usage` the main conversation alone. */
export function resultUsage(result: Wire): Usage | null {
  const perModel = Object.values(asObject(result['modelUsage']) ?? {})
    .map(asObject)
    .filter((wire) => wire !== null);
  if (perModel.length > 0) return perModel.map(modelUsage).reduce(addUsage, NO_USAGE);
  const usage = asObject(result['usage']);
  return usage && apiUsage(usage);
}

/** Context windows in tokens, by model, of the models that a `result` names. */
export function contextWindows(result: Wire): Readonly<Record<string, number>> {
  const windows: Record<string, number> = {};
  for (const [model, usage] of Object.entries(asObject(result['modelUsage']) ?? {})) {
    const window = asNumber(asObject(usage)?.['contextWindow']);
    if (window !== null && window > 0) windows[model] = window;
  }
  return windows;
}

function modelUsage(wire: Wire): Usage {
  return {
    inputTokens: asNumber(wire['inputTokens']) ?? 0,
    outputTokens: asNumber(wire['outputTokens']) ?? 0,
    cacheReadTokens: asNumber(wire['cacheReadInputTokens']) ?? 0,
    cacheWriteTokens: asNumber(wire['cacheCreationInputTokens']) ?? 0,
  };
}
