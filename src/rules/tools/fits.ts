import { ALL_TOOLS } from './specs.ts';

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/**
 * Why a call of the agent's tools cannot be meant: null when its name and arguments fit. Looks at the arguments
 * themselves, not into lists; for calls that did not come through MCP, whose library checks the whole schema.
 */
export function problemOfCall(name: string, args: unknown): string | null {
  const spec = ALL_TOOLS.find((tool) => tool.name === name);
  if (!spec) return 'there is no such tool';
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'its arguments are no object';
  const { properties, required } = spec.inputSchema as {
    readonly properties: Readonly<Record<string, Property>>;
    readonly required: readonly string[];
  };
  const missing = required.find((property) => !Object.hasOwn(args, property));
  if (missing !== undefined) return `${missing} is missing`;
  const wrong = Object.entries(args).find(([property, value]) => {
    const wanted = Object.hasOwn(properties, property) ? properties[property] : undefined;
    return wanted === undefined || !fits(value, wanted);
  });
  return wrong ? `${wrong[0]} does not fit` : null;
}

function fits(value: unknown, wanted: Property): boolean {
  if (wanted.enum) return wanted.enum.includes(value);
  if (wanted.type === 'array') return Array.isArray(value);
  return typeof value === wanted.type;
}
