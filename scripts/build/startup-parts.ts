import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../root.ts';

/**
 * What a run, or its plan, loads first, part by part: the modules that a part begins with. Each part is a chunk of its
 * own with all that these import without `import()`, unless an earlier part has it.
 */
const PARTS = {
  // Up to git's first process: while that one works, the next part loads. And what the scripted agent shares with a run.
  start: ['commands/cli', 'commands/program', 'rules/text/format'],
  plan: ['commands/run/run-opened', 'adapters/git/operations'],
  // Of a review: without what else looks for weakened tests, which a plan does not.
  review: ['loop/evidence/tampering'],
} as const;

export type StartupPart = keyof typeof PARTS;

/** The names of the parts, in the order in which they load. */
export const STARTUP_PARTS = Object.keys(PARTS) as readonly StartupPart[];

/** The part of each module of `src/` that belongs to one, by its absolute path. */
export function startupParts(): ReadonlyMap<string, StartupPart> {
  const partOf = new Map<string, StartupPart>();
  for (const part of STARTUP_PARTS) {
    for (const module of loadedWith(PARTS[part])) if (!partOf.has(module)) partOf.set(module, part);
  }
  return partOf;
}

/** These modules of `src/` and all that they import without `import()`, by their absolute paths. */
export function loadedWith(names: readonly string[]): ReadonlySet<string> {
  const loaded = new Set<string>();
  const modules = names.map((name) => join(root, 'src', `${name}.ts`));
  for (let module = modules.pop(); module !== undefined; module = modules.pop()) {
    if (loaded.has(module)) continue;
    loaded.add(module);
    modules.push(...importedBy(module));
  }
  return loaded;
}

/** A statement that imports or re-exports values, as the formatter writes it. */
const STATEMENT = /^(?:import|export) (?!type )(?:\{([^}]*)\} from )?'(\.[^']+\.ts)';/gm;

/** The modules that one imports; through a door, those that have the names it asks for. */
function importedBy(module: string): readonly string[] {
  return [...readFileSync(module, 'utf8').matchAll(STATEMENT)].flatMap(([, names = '', path = '']) => {
    const imported = join(dirname(module), path);
    if (!imported.endsWith('/index.ts')) return [imported];
    return valuesIn(names).map((name) => behindDoor(imported, name));
  });
}

function behindDoor(door: string, name: string): string {
  for (const [, names = '', path = ''] of readFileSync(door, 'utf8').matchAll(STATEMENT)) {
    if (valuesIn(names).includes(name)) return join(dirname(door), path);
  }
  throw new Error(`${door} exports no ${name}`);
}

const valuesIn = (names: string): readonly string[] =>
  names.split(',').flatMap((name) => /^\s*(?!type )(\w+)/.exec(name)?.[1] ?? []);
