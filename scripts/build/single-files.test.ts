import { builtinModules } from 'node:module';
import type { OutputChunk } from 'rolldown';
import { expect, test } from 'vitest';
import { singleFileChunk } from './single-files.ts';

/** What takes longer to load than everything else in a hook. */
const TOO_HEAVY = ['zod/v4/classic', 'micromark', 'commander', 'hono', 'yaml'];

const foreign = ({ imports }: OutputChunk) =>
  imports.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));

test('the command hook is one small file that needs nothing but Node', async () => {
  const chunk = await singleFileChunk('hook');
  // It is read and compiled at every tool call of an agent.
  expect(Buffer.byteLength(chunk.code)).toBeLessThan(500 * 1024);
  expect(foreign(chunk)).toEqual([]);
  const bundled = Object.entries(chunk.modules).filter(([, { renderedLength }]) => renderedLength > 0);
  const heavy = bundled.filter(([id]) => TOO_HEAVY.some((name) => id.includes(`/node_modules/${name}/`)));
  expect(heavy.map(([id]) => id)).toEqual([]);
});

test('the bridge into a sandbox is one file of some kilobytes that needs nothing but Node', async () => {
  const chunk = await singleFileChunk('inside');
  expect(Buffer.byteLength(chunk.code)).toBeLessThan(8 * 1024);
  expect(foreign(chunk)).toEqual([]);
});
