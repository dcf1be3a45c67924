import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { markdownFiles } from '../../scripts/ci/docs.ts';
import { root } from '../../scripts/root.ts';
import { type Part, partsOf } from './blocks.ts';
import { type OpenProject, openProject } from './open-project.ts';
import { tryBlock } from './try-block.ts';

/**
 * Every block of code in the documentation is tried, or says why it cannot be. How a page says it: CONTRIBUTING.md.
 * Pages beside each other, the blocks of a page in its order.
 */
// The examples of docs/commands.md come from the command table: examples.test.ts.
const pages = (await markdownFiles()).filter((page) => page !== 'docs/commands.md');

for (const page of pages) {
  const parts = partsOf(readFileSync(join(root, page), 'utf8'));
  if (parts.some(isTried)) describe.concurrent(page, () => tryPage(page, parts));
}

function tryPage(page: string, parts: readonly Part[]): void {
  let chosen = { name: 'shop', from: 0 };
  let present: { readonly from: number; readonly project: Promise<OpenProject> } | null = null;
  const leave = async () => {
    const last = present?.project;
    present = null;
    await (await last)?.close();
  };
  afterAll(leave);
  for (const part of parts) {
    if (part.kind === 'project') chosen = { name: part.name, from: part.line };
    if (!isTried(part)) continue;
    const { name, from } = chosen;
    test.sequential(`${page}:${part.line} ${part.language}`, async () => {
      if (present?.from !== from) {
        await leave();
        present = { from, project: openProject(name) };
      }
      await tryBlock(part, await present.project);
    });
  }
}

function isTried(part: Part): part is Extract<Part, { kind: 'block' }> {
  if (part.kind === 'project' || part.noRun !== null) return false;
  return !['', 'text'].includes(part.language) || part.text.startsWith('$ ');
}
