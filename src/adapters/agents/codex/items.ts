import type { AgentEvent } from '../../../contracts/agent.ts';
import { asArray, asNumber, asObject, asText, type Wire } from '../json-lines.ts';
import { callSummary, resultSummary } from '../summaries.ts';

/** How an item of the stream is shown as the use of a tool. */
interface ToolItem {
  name(item: Wire): string;
  call(item: Wire): string;
  result(item: Wire): string;
}

const TOOL_ITEMS: Readonly<Record<string, ToolItem>> = {
  command_execution: {
    name: () => 'shell',
    call: (item) => callSummary({ command: unwrapped(asText(item['command']) ?? '') }),
    result: (item) => resultSummary(item['aggregated_output']),
  },
  file_change: {
    name: () => 'apply_patch',
    call: (item) => callSummary({ path: paths(item) }),
    result: () => '',
  },
  mcp_tool_call: {
    name: (item) => `${asText(item['server']) ?? 'unknown'}.${asText(item['tool']) ?? 'unknown'}`,
    call: (item) => callSummary(asObject(item['arguments']) ?? {}),
    result: (item) =>
      resultSummary(asObject(item['error'])?.['message'] ?? asObject(item['result'])?.['content'] ?? ''),
  },
  web_search: {
    name: () => 'web_search',
    call: (item) => callSummary({ query: asText(item['query']) ?? '' }),
    result: () => '',
  },
  collab_tool_call: {
    name: (item) => asText(item['tool']) ?? 'agent',
    call: (item) => callSummary({ prompt: asText(item['prompt']) ?? '' }),
    result: () => '',
  },
};

/** The call that an item stands for; null for items that use no tool. */
export function toolCall(item: Wire): AgentEvent | null {
  const shown = shownAs(item);
  return shown && { type: 'tool-call', id: idOf(item), name: shown.name(item), summary: shown.call(item) };
}

/** The result of a completed item; null for items that use no tool. */
export function toolResult(item: Wire): AgentEvent | null {
  const shown = shownAs(item);
  return shown && { type: 'tool-result', id: idOf(item), ok: succeeded(item), summary: shown.result(item) };
}

export function idOf(item: Wire): string {
  return asText(item['id']) ?? '';
}

function shownAs(item: Wire): ToolItem | null {
  const type = asText(item['type']) ?? '';
  return (Object.hasOwn(TOOL_ITEMS, type) ? TOOL_ITEMS[type] : null) ?? null;
}

function succeeded(item: Wire): boolean {
  const status = asText(item['status']) ?? 'completed';
  return status === 'completed' && (asNumber(item['exit_code']) ?? 0) === 0;
}

/** `/bin/bash -lc 'make test'` → `make test`: the wrapping is the client's and tells nobody anything. */
function unwrapped(command: string): string {
  const [, single, double] = /^\S*sh -l?c (?:'(.*)'|"(.*)")$/s.exec(command) ?? [];
  if (single !== undefined) return single.replaceAll(`'\\''`, "'");
  return double?.replace(/\\(["\\$`])/g, '$1') ?? command;
}

function paths(item: Wire): string {
  return asArray(item['changes'])
    .map((change) => asText(asObject(change)?.['path']))
    .filter((path) => path !== null)
    .join(' ');
}
