import { expect, test } from 'vitest';
import { withoutSettings } from './config.ts';

test('an environment without settings keeps everything else', () => {
  const env = { PATH: '/bin', RALPH_CALLS: '5', MAX_ITERATIONS: '9', CB_SAME_ERROR_THRESHOLD: '2', PRD_NUMBER: '3' };
  expect(withoutSettings(env)).toEqual({ PATH: '/bin' });
});
