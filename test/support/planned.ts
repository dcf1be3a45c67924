import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a planning session writes: a PRD, and stories that the linter has nothing to say about. */

export const PLANNED_PRD = `# Coupons

## Summary
Customers redeem coupons in the cart.

## Goals
- a valid code lowers the total by its percentage

## Constraints
- amounts are whole cents
`;

/** @param criteria of the first story, instead of good ones */
export function plannedTasks(
  criteria: readonly string[] = [
    'saving the code SUMMER fails with DuplicateCode when summer exists',
    'a test covers percent 0, 1, 100 and 101',
  ],
): string {
  const story = { passes: false, reviewStatus: null, reviewCount: 0, reviewFeedback: '', notes: '' };
  const userStories = [
    {
      id: 'US-001',
      title: 'Store coupons',
      description: 'A coupon has a code, a percentage and a last day.',
      acceptanceCriteria: criteria,
      priority: 1,
      ...story,
      dependsOn: [],
    },
    {
      id: 'US-002',
      title: 'Redeem a coupon in the cart',
      description: 'A code lowers the total of the cart. One coupon for each cart.',
      acceptanceCriteria: ['a code of 10 % lowers 9.99 to 8.99', 'tests cover an unknown and an expired code'],
      priority: 2,
      ...story,
      dependsOn: ['US-001'],
    },
  ];
  const head = { project: 'shop', branchName: 'ralph/coupons', description: 'Coupons', verifyCommands: ['npm test'] };
  return `${JSON.stringify({ ...head, userStories }, null, 2)}\n`;
}

/** Puts a `ralph` that is in `packageFolder` on a path. */
export async function linkRalph(bin: string, packageFolder: string): Promise<void> {
  const program = join(bin, 'ralph');
  await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${join(packageFolder, 'bin/ralph.js')} "$@"\n`);
  await chmod(program, 0o755);
}
