import { expect, it } from 'vitest';
import { lanesAsked } from './parallel-flags.ts';

const whole = { only: null, once: false };

it('takes a number of lanes, and one when none is given', () => {
  expect(lanesAsked({}, whole)).toBe(1);
  expect(lanesAsked({ parallel: '3' }, whole)).toBe(3);
  expect(() => lanesAsked({ parallel: '33' }, whole)).toThrow('1 to 32');
});

it('says that the number is missing where the next flag was taken for it', () => {
  expect(() => lanesAsked({ parallel: '--no-sandbox' }, whole)).toThrow('does not say how many');
});

it('refuses flags that leave nothing to do beside it', () => {
  expect(() => lanesAsked({ parallel: '2' }, { only: 'US-001', once: false })).toThrow('contradict each other');
  expect(() => lanesAsked({ parallel: '2' }, { only: null, once: true })).toThrow('contradict each other');
});
