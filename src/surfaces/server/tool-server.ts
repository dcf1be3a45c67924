import { fromJsonSchema, Server } from '@modelcontextprotocol/server';
import type { Session } from '../../loop/index.ts';
import { withoutSecrets } from '../../platform/index.ts';
import { asOffered, type ToolAnswer, type ToolSpec } from '../../rules/tools/index.ts';
import { version } from '../../version.ts';

type Arguments = Readonly<Record<string, unknown>>;
type Schema = ReturnType<typeof fromJsonSchema<Arguments>>;

/**
 * Creates MCP servers over one toolbox: the library wants a new one for each request. Schemas are compiled at the first
 * call of their tool, and kept.
 */
export function toolServers({ tools, tool, toolRefused }: Toolbox): () => Server {
  const specs = new Map(tools.map((spec) => [spec.name, spec]));
  const schemas = new Map<string, Schema>();

  function schemaOf(spec: ToolSpec): Schema {
    const schema = schemas.get(spec.name) ?? fromJsonSchema<Arguments>(spec.inputSchema);
    schemas.set(spec.name, schema);
    return schema;
  }

  async function call(name: string, given: Arguments): Promise<ToolAnswer> {
    const args = asOffered(name, given);
    const spec = specs.get(name);
    const problem = spec ? await problemOf(schemaOf(spec), args) : null;
    if (!spec || problem === null) return tool(name, args);
    toolRefused?.(name, args, `its arguments do not fit: ${problem}`);
    return badArguments(spec, problem);
  }

  return () => {
    const server = new Server({ name: 'ralph', version }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: tools.map(announced) }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const { text, isError } = await call(params.name, params.arguments ?? {});
      return { content: [{ type: 'text', text: withoutSecrets(text) }], isError };
    });
    return server;
  };
}

function announced({ name, description, inputSchema }: ToolSpec) {
  return { name, description, inputSchema: { ...inputSchema, type: 'object' as const } };
}

/** What is wrong with the arguments; null when they fit. */
async function problemOf(schema: Schema, args: Arguments): Promise<string | null> {
  const { issues } = await schema['~standard'].validate(args);
  return issues ? issues.map((issue) => issue.message).join('; ') : null;
}

/** With the schema: a client may have shown the model only the tool's name. */
function badArguments({ name, inputSchema }: ToolSpec, problem: string): ToolAnswer {
  const text = `${name} was not called: its arguments do not fit (${problem}). Call it again with arguments that follow this JSON Schema: ${JSON.stringify(inputSchema)}`;
  return { text, isError: true };
}

/** The tools of a session, without its hooks: what MCP serves. */
export type Toolbox = Pick<Session, 'tools' | 'tool'> & Partial<Pick<Session, 'toolRefused'>>;
