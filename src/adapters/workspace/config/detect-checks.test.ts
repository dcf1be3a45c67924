import { chmodSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempTree } from '../temp-tree.fixture.ts';
import { detectChecks } from './detect-checks.ts';

// Nothing is closed to root.
const OTHER = 65_534;
const isRoot = process.getuid?.() === 0;
beforeEach(() => void (isRoot && process.seteuid?.(OTHER)));
afterEach(() => void (isRoot && process.seteuid?.(0)));

test.each([0, 0o400])(
  'a folder of the project with the rights %o, such as the data of a database, hides no checks of the others',
  async (mode) => {
    const root = await tempTree({ 'data/x': '', 'web/package.json': '{"scripts":{"test":"vitest run"}}' });
    chmodSync(`${root}/data`, mode);
    expect(await detectChecks(root)).toEqual(['cd web && npm test']);
  },
);
