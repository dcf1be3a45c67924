import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { root } from '../root.ts';

/**
 * What a run, or its plan, loads first, part by part: the modules that a part begins with. Each part is a chunk of its
 * own with all that these import without `import()`, unless an earlier part has it.
 */
const PARTS = {
  // Up to git's first process: while that one works, the next part loads.
  start: ['commands/cli'],
  plan: ['commands/run/run-opened', 'adapters/git/operations'],
} as const;

export type StartupPart = keyof typeof PARTS;

/** The names of the parts, in the order in which they load. */
export const STARTUP_PARTS = Object.keys(PARTS) as readonly StartupPart[];

/** Sorts the modules of `src/` into the parts of a start, as soon as the bundler knows who imports whom. */
export function startupParts(): { readonly plugin: Plugin; isIn(part: StartupPart, module: string): boolean } {
  const partOf = new Map<string, StartupPart>();
  const plugin: Plugin = {
    name: 'startup-parts',
    buildEnd() {
      for (const part of STARTUP_PARTS) {
        const modules = PARTS[part].map((name) => join(root, 'src', `${name}.ts`));
        for (let module = modules.pop(); module !== undefined; module = modules.pop()) {
          if (partOf.has(module)) continue;
          partOf.set(module, part);
          modules.push(...(this.getModuleInfo(module)?.importedIds ?? []));
        }
      }
    },
  };
  return { plugin, isIn: (part, module) => partOf.get(module) === part };
}
