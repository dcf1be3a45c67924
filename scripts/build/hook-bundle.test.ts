import { builtinModules } from 'node:module';
import { expect, test } from 'vitest';
import { hookChunk } from './hook-bundle.ts';

/** It is read and compiled at every tool call of an agent. */
const MOST_BYTES = 460 * 1024;

/** What takes longer to load than everything else in a hook. */
const TOO_HEAVY = ['zod', 'micromark', 'commander', 'hono', 'yaml'];

test('the command hook is one small file that needs nothing but Node', async () => {
  const { code, imports, modules } = await hookChunk();
  expect(Buffer.byteLength(code)).toBeLessThan(MOST_BYTES);
  expect(imports.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))).toEqual([]);
  const bundled = Object.entries(modules).filter(([, { renderedLength }]) => renderedLength > 0);
  const heavy = bundled.filter(([id]) => TOO_HEAVY.some((name) => id.includes(`/node_modules/${name}/`)));
  expect(heavy.map(([id]) => id)).toEqual([]);
});
