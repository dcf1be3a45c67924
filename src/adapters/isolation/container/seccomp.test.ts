import { expect, test } from 'vitest';
import { withoutKeyrings } from './seccomp.ts';

test('keyrings are taken out of what a profile allows, and nothing else is changed', () => {
  const profile = {
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [
      { names: ['read', 'keyctl', 'write'], action: 'SCMP_ACT_ALLOW', args: [] },
      { names: ['add_key', 'request_key'], action: 'SCMP_ACT_ALLOW' },
      { names: ['keyctl', 'bdflush'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
    ],
  };
  expect(JSON.parse(withoutKeyrings(JSON.stringify(profile)))).toEqual({
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [
      { names: ['read', 'write'], action: 'SCMP_ACT_ALLOW', args: [] },
      { names: ['keyctl', 'bdflush'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
    ],
  });
});
