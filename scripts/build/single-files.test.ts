import { builtinModules } from 'node:module';
import type { OutputChunk } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';
import { hookChunks, insideChunk } from './single-files.ts';

/** What takes longer to load than everything else in a hook. */
const TOO_HEAVY = ['zod/v4/classic', 'micromark', 'commander', 'hono', 'yaml'];

let hook: readonly OutputChunk[] = [];
beforeAll(async () => {
  hook = await hookChunks();
});

const sizeOf = (chunks: readonly OutputChunk[]) => chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);

const foreign = ({ imports }: OutputChunk) =>
  imports.filter((name) => !name.startsWith('node:') && !name.startsWith('hook/') && !builtinModules.includes(name));

/** A part and the parts that it loads at once. */
function withImports(name: string): readonly OutputChunk[] {
  const part = hook.find(({ fileName }) => fileName.startsWith(name));
  if (part === undefined) throw new Error(`there is no ${name}`);
  return [part, ...part.imports.filter((path) => path.startsWith('hook/')).flatMap(withImports)];
}

test.each([
  // Node compiles this one at every call.
  ['hook.cjs', 3],
  ['hook/run-hook', 22],
  ['hook/pre-tool-use', 310],
])('%s with all that it loads has at most %i KB', (name, most) => {
  expect(sizeOf(withImports(name))).toBeLessThan(most * 1024);
});

test('the command hook needs nothing but Node, and loads no heavy library', () => {
  expect(hook.flatMap(foreign)).toEqual([]);
  const bundled = hook.flatMap(({ modules }) => Object.entries(modules)).filter(([, made]) => made.renderedLength > 0);
  const heavy = bundled.filter(([id]) => TOO_HEAVY.some((name) => id.includes(`/node_modules/${name}/`)));
  expect(heavy.map(([id]) => id)).toEqual([]);
});

test('no character is in it that would double it in memory', () => {
  expect(/[^\0-\xff]/.exec(hook.map((part) => part.code).join('\n'))).toBeNull();
});

test('the bridge into a sandbox is one file of some kilobytes that needs nothing but Node', async () => {
  const chunk = await insideChunk();
  expect(Buffer.byteLength(chunk.code)).toBeLessThan(8 * 1024);
  expect(foreign(chunk)).toEqual([]);
});
