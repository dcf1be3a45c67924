import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { type Module, type Modules, type Name, readModules } from './modules.ts';
import { walkFrom } from './walk.ts';

export interface Measure {
  readonly name: string;
  readonly value: number;
  /** The most it may be in the end; null where only the change counts. */
  readonly goal: number | null;
  /** What is counted, where that has names. */
  readonly what?: readonly string[];
}

/** The measures that the files of a checkout tell by themselves; docs/house.md says how each is counted. */
export function measure(root: string): readonly Measure[] {
  const modules = readModules(root);
  const all = [...modules.values()];
  const product = all.filter(({ file, isTest }) => file.startsWith('src/') && !isTest);
  const linesOf = (some: readonly Module[]) => some.reduce((sum, { lines }) => sum + lines, 0);
  const byNames: Graph = new Map(product.map((module) => [module.file, needsByName(module, modules)]));
  const byFiles: Graph = new Map(product.map(({ file, needs }) => [file, needs]));
  const circles = groupsOf(byNames).filter(({ length }) => length > 1);
  const doors = doorsOf(all);
  const exports = unusedExports(modules, JSON.parse(readFileSync(join(root, 'knip.json'), 'utf8')).entry);
  const walk = walkFrom(modules, 'src/loop/iteration.ts', 'iterate');
  const list = (name: string, goal: number | null, what: readonly string[]) => ({
    name,
    value: what.length,
    goal,
    what,
  });
  return [
    { name: 'product lines', value: linesOf(product), goal: 95_000 },
    { name: 'product files', value: product.length, goal: 800 },
    { name: 'test lines', value: linesOf(all.filter(({ isTest }) => isTest)), goal: linesOf(product) },
    list('longest import chain', 20, longestChain(byNames)),
    list('longest import chain, doors as files', null, longestChain(byFiles)),
    list(
      'circles of imports',
      0,
      circles.map((files) => files.join(' ↔ ')),
    ),
    ...doors.slice(0, 1).map((files) => list('files of a room that others import', 1, files)),
    list('exports without a use', 0, exports.unused),
    list('exports used by tests only', 0, exports.tests),
    list(
      'files that write the reason of a verdict',
      1,
      product.filter(writesReason).map(({ file }) => file),
    ),
    list('readers of the configuration', 1, found(READERS, product)),
    list('ways to check shapes', 1, found(CHECKS, product)),
    { name: "walk of the iteration's context: files", value: walk.files, goal: 40 },
    { name: "walk of the iteration's context: climbs", value: walk.climbs, goal: 10 },
    { name: "walk of the iteration's context: returns", value: walk.returns, goal: 25 },
  ];
}

/**
 * Readers of the configuration and ways to check a shape are kinds of code, which no parser tells apart. These lists
 * are made by hand: an entry counts while one file of the product has all its marks. Who adds a kind adds an entry.
 */
const READERS: Readonly<Record<string, readonly RegExp[]>> = {
  'by its settings': [/\bfunction effective</],
  'plainly right values, without the schema': [/\bplainValue\(/, /\bmerged\(/],
  'what hooks need of it': [/ralph\.config\.json/, /\breadTextSync\(/],
};

const CHECKS: Readonly<Record<string, readonly RegExp[]>> = {
  'schemas of zod': [/from 'zod(?:\/mini)?'/],
  'kinds of plain settings': [/\bfunction plainValue\(/],
  'shapes put together by hand': [/\bjsonObject\b/, /\bexport function object</],
  'tables of the fields of events': [/\bfunction shapesOf\(/],
  'replies of plugins, field by field': [/\bfunction checkAnalysis\(/, /\btypeof completion\b/],
  'hook calls, field by field': [/\bfunction parseHook\(/, /\bfunction objectOf\(/],
};

function found(kinds: Readonly<Record<string, readonly RegExp[]>>, product: readonly Module[]): readonly string[] {
  const isThere = (marks: readonly RegExp[]) => product.some(({ text }) => marks.every((mark) => mark.test(text)));
  return Object.keys(kinds).filter((kind) => isThere(kinds[kind] ?? []));
}

/** Of each room the files that product code outside of it imports statically; the largest such list first. */
function doorsOf(all: readonly Module[]): readonly (readonly string[])[] {
  // As in scripts/lint/doors.grit.
  const room = /^src\/(?:(?:adapters|rules|surfaces)\/[^/]+(?=\/)|lab|loop|streams|platform|contracts)/;
  const roomOf = (file: string) => room.exec(file)?.[0] ?? null;
  const doors = new Map<string, Set<string>>();
  for (const { file, needs, isTest } of all) {
    if (isTest || !/^(src|dashboard)\//.test(file)) continue;
    for (const need of needs) {
      const of = roomOf(need);
      if (of !== null && of !== roomOf(file)) doors.set(of, (doors.get(of) ?? new Set()).add(need));
    }
  }
  return [...doors.values()].map((files) => [...files]).sort((a, b) => b.length - a.length);
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The files that a module imports; a name that a door passes on leads to the file that declares it, as in an editor. */
function needsByName({ needs, imports, exports }: Module, modules: Modules): ReadonlySet<string> {
  const declaring = ({ file, name }: Name): string => {
    const from = modules.get(file)?.exports.get(name);
    return from ? declaring(from) : file;
  };
  const names = [...imports.values(), ...exports.values()].filter((name) => name !== null);
  const named = new Set(names.map(({ file }) => file));
  return new Set([...names.map(declaring), ...[...needs].filter((file) => !named.has(file))]);
}

/** Groups of files that import each other, and single files; what one needs stands before it. Tarjan's algorithm. */
function groupsOf(graph: Graph): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): number => {
    const at = order.size;
    order.set(file, at);
    stack.push(file);
    let low = at;
    for (const need of graph.get(file) ?? []) {
      if (!order.has(need)) low = Math.min(low, visit(need));
      else if (stack.includes(need)) low = Math.min(low, order.get(need) ?? at);
    }
    if (low === at) groups.push(stack.splice(stack.indexOf(file)));
    return low;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return groups;
}

/** The longest way from file to file; a circle on it counts with all its files. */
function longestChain(graph: Graph): readonly string[] {
  const longer = (a: readonly string[], b: readonly string[]) => (b.length > a.length ? b : a);
  const chains = new Map<string, readonly string[]>();
  for (const group of groupsOf(graph)) {
    const below = group.flatMap((file) => [...(graph.get(file) ?? [])]).map((file) => chains.get(file) ?? []);
    const chain = [...group, ...below.reduce(longer, [])];
    for (const file of group) chains.set(file, chain);
  }
  return [...chains.values()].reduce(longer, []);
}

/**
 * Exports of the product and the page without an import in it or in scripts and benchmarks. A re-export uses nothing by
 * itself: it is followed when it is imported. What a file loads later counts as used when the file has its name as a word.
 */
function unusedExports(modules: Modules, entries: readonly string[]) {
  const users = new Map<string, Set<'product' | 'tests'>>();
  const use = (file: string, name: string, who: 'product' | 'tests'): void => {
    const known = users.get(`${file} ${name}`) ?? new Set();
    if (known.has(who)) return;
    users.set(`${file} ${name}`, known.add(who));
    const from = modules.get(file)?.exports.get(name);
    if (from) use(from.file, from.name, who);
  };
  const namesOf = (file: string) => [...(modules.get(file)?.exports.keys() ?? [])];
  for (const { text, isTest, imports, later } of modules.values()) {
    const who = isTest ? 'tests' : 'product';
    const words = new Set(text.match(/\w+/g));
    const whole = [...later];
    for (const { file, name } of imports.values())
      if (name === '*') whole.push(file);
      else use(file, name, who);
    for (const file of whole) for (const name of namesOf(file)) if (words.has(name)) use(file, name, who);
  }
  const started = entries.map((entry) => entry.replace('!', ''));
  for (const file of started) for (const name of namesOf(file)) use(file, name, 'product');
  const result = { unused: [] as string[], tests: [] as string[] };
  for (const { file, isTest, exports } of modules.values()) {
    if (isTest || !/^(src|dashboard)\//.test(file)) continue;
    for (const [name, from] of exports) {
      const by = users.get(`${file} ${name}`);
      // Told where it is declared.
      if (by?.has('product') || (from && !users.get(`${from.file} ${from.name}`)?.has('product'))) continue;
      (by ? result.tests : result.unused).push(`${file} ${name}`);
    }
  }
  return result;
}

/**
 * Whether a file makes the reason of a verdict: an object with a `reason` that is not a copy (`x.reason`), beside a
 * `verdict` in quotes or laid over a decision (`{ ...decision, reason }`).
 */
function writesReason({ file, text }: Module): boolean {
  if (!/\breason\b/.test(text) || !/decision|verdict/i.test(text)) return false;
  let writes = false;
  new Visitor({
    ObjectExpression({ properties }) {
      const own = properties.filter((one): one is ESTree.ObjectProperty => one.type === 'Property');
      const textOf = (name: string) => {
        const value = own.find(({ key }) => key.type === 'Identifier' && key.name === name)?.value;
        return value && text.slice(value.start, value.end);
      };
      const over = properties
        .filter(({ type }) => type === 'SpreadElement')
        .map((one) => text.slice(one.start, one.end));
      const isVerdict = /^'/.test(textOf('verdict') ?? '') || over.some((one) => /decision|verdict|judged/i.test(one));
      writes ||= isVerdict && !/^$|\w\.reason$/.test(textOf('reason') ?? '');
    },
  }).visit(parseSync(file, text).program);
  return writes;
}
