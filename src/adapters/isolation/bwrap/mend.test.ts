import { expect, test } from 'vitest';
import { complaintWays, forbidden } from './mend.ts';

test('a kernel that keeps ordinary users from namespaces is named, with the command that changes it', () => {
  expect(forbidden(['1', null, '15000'])).toEqual([expect.stringContaining('apparmor_restrict_unprivileged_userns=0')]);
  expect(forbidden([null, '0', '0'])).toEqual([
    expect.stringContaining('unprivileged_userns_clone=1'),
    expect.stringContaining('max_user_namespaces='),
  ]);
  expect(forbidden([null, null, null])).toEqual([]);
  expect(forbidden(['0', '1', '60000'])).toEqual([]);
});

test('an installed bwrap that does not hold is never to be installed; there is always a way on', async () => {
  const ways = await complaintWays({});
  expect(ways).not.toEqual([]);
  expect(ways.join()).not.toContain('install bubblewrap');
});
