import { expect, test } from 'vitest';
import { namesOf } from './names.ts';

test.each([
  ['127.0.0.1', '127.0.0.1', '127.0.0.1', true],
  ['LOCALHOST', '127.0.0.1', '127.0.0.1', true],
  ['127.8.0.1', '127.8.0.1', '127.8.0.1', true],
  ['::1', '::1', '[::1]', true],
  ['[::1]', '::1', '[::1]', true],
  ['192.0.2.7', '192.0.2.7', '192.0.2.7', false],
  ['[2001:db8::1]', '2001:db8::1', '[2001:db8::1]', false],
  ['fe80::1%eth0', 'fe80::1%eth0', '[fe80::1]', false],
])('%s listens on %s and is called %s', async (asked, host, shown, loopback) => {
  const names = await namesOf(asked);
  expect(names).toMatchObject({ host, shown, loopback });
  expect(names.names).toContain(shown);
});

test('every interface is not loopback', async () => {
  expect(await namesOf('0.0.0.0')).toMatchObject({ host: '0.0.0.0', loopback: false });
  expect(await namesOf('[::]')).toMatchObject({ host: '::', loopback: false });
});
