import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { root } from '../root.ts';

/** Modules of React, Ink and all that these depend on: a chunk of the monitor's, which only the monitor loads. */
export const INK = new RegExp(`[\\\\/]node_modules[\\\\/](${[...closure(['ink', 'react'])].join('|')})[\\\\/]`);

function closure(names: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const file = join(root, 'node_modules', name, 'package.json');
    if (found.has(name) || !existsSync(file)) continue;
    found.add(name);
    closure(Object.keys(JSON.parse(readFileSync(file, 'utf8')).dependencies ?? {}), found);
  }
  return found;
}

/**
 * What stands in the bundle instead of four modules: Ink's tools for developers, which are not installed, the question
 * whether to load them, and the one whether this is CI. There Ink draws nothing; who starts the monitor wants to see it.
 * And Yoga without a top-level `await`, which CommonJS does not have: `ready` is what the monitor waits for.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  'ink/build/devtools.js': 'export {};',
  'ink/build/utils.js': 'export const isDev = () => false;',
  'is-in-ci/index.js': 'export default false;',
  'yoga-layout/dist/src/index.js': `import load from '../binaries/yoga-wasm-base64-esm.js';
import wrap from './wrapAssembly.js';
let yoga;
export const ready = load().then((loaded) => { yoga = wrap(loaded); });
export { yoga as default };
export * from './generated/YGEnums.js';`,
};

/** Those of Ink, around what is never loaded here. */
const AWAITS = /await (?=import\('\.\/devtools\.js'\)|loadPackageJson\(\))/g;

const within = (id: string) => id.replaceAll('\\', '/').split('/node_modules/').at(-1) ?? '';

export const INK_STAND_INS: Plugin = {
  name: 'ink-stand-ins',
  load: (id) => STAND_INS[within(id)] ?? null,
  transform: (code, id) => (within(id) === 'ink/build/reconciler.js' ? code.replaceAll(AWAITS, '') : null),
};
