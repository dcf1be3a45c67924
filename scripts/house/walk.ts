import { posix } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import type { Modules } from './modules.ts';

type Body = ESTree.Function | ESTree.ArrowFunctionExpression;

/**
 * What a reader opens who follows the context of an iteration: every function of the room that is given the context or
 * a part of it, in the order of the calls, each read once and to its end. A part is what is destructured from the
 * context or named with it (`context.git`), by itself or in an object that is handed on: splitting the context up makes
 * no difference. `climbs`: calls that lead into a file above, where the walk began; `returns`: calls that lead into a file
 * that was open before.
 */
export function walkFrom(modules: Modules, file: string, name: string) {
  const functionsIn = new Map<string, ReadonlyMap<string, Body>>();
  const top = posix.dirname(file);
  const opened = new Set<string>();
  const seen = new Set<Body>();
  let climbs = 0;
  let returns = 0;
  const find = (at: string, called: string): { readonly at: string; readonly body: Body } | null => {
    const module = modules.get(at);
    if (module === undefined) return null;
    const functions = functionsIn.get(at) ?? topFunctions(at, module.text);
    functionsIn.set(at, functions);
    const body = functions.get(called);
    const from = module.lazy.get(called) ?? module.imports.get(called) ?? module.exports.get(called);
    return body ? { at, body } : from ? find(from.file, from.name) : null;
  };
  const read = (at: string, body: Body, given: readonly boolean[]): void => {
    opened.add(at);
    seen.add(body);
    const parts = new Set(body.params.flatMap((param, index) => (given[index] ? namesIn(param) : [])));
    new Visitor({
      VariableDeclarator({ id, init }) {
        if (init && isPart(init, parts)) for (const one of namesIn(id)) parts.add(one);
      },
      CallExpression({ callee, arguments: args }) {
        const handed = args.map((one) => isPart(one, parts));
        const to = callee.type === 'Identifier' && handed.includes(true) ? find(at, callee.name) : null;
        if (to === null || seen.has(to.body) || !to.at.startsWith(`${top}/`)) return;
        if (to.at !== at && opened.has(to.at)) returns++;
        if (posix.dirname(at) !== top && posix.dirname(to.at) === top) climbs++;
        read(to.at, to.body, handed);
      },
    }).visit({ type: 'Program', body: [body] } as unknown as ESTree.Program);
  };
  const start = find(file, name);
  if (start === null)
    throw new Error(`${file} has no function ${name}: say in scripts/house where an iteration begins`);
  read(start.at, start.body, [true]);
  return { files: opened.size, climbs, returns };
}

function topFunctions(file: string, text: string): ReadonlyMap<string, Body> {
  const functions = new Map<string, Body>();
  for (const statement of parseSync(file, text).program.body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (node?.type === 'FunctionDeclaration' && node.id) functions.set(node.id.name, node);
    for (const { id, init } of node?.type === 'VariableDeclaration' ? node.declarations : [])
      if (id.type === 'Identifier' && init?.type === 'ArrowFunctionExpression') functions.set(id.name, init);
  }
  return functions;
}

function namesIn(pattern: ESTree.ParamPattern | ESTree.BindingPattern): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((one) => namesIn(one.type === 'RestElement' ? one.argument : one.value));
}

/** Whether the context or a part of it is handed on; what is made of one (a call's result) is none. */
function isPart(node: ESTree.Expression | ESTree.SpreadElement, parts: ReadonlySet<string>): boolean {
  if (node.type === 'Identifier') return parts.has(node.name);
  if (node.type === 'MemberExpression') return isPart(node.object, parts);
  if (node.type !== 'ObjectExpression') return false;
  return node.properties.some((one) => isPart(one.type === 'SpreadElement' ? one.argument : one.value, parts));
}
