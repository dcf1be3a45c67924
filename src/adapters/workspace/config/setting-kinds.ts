import * as z from 'zod';
import { UsageError } from '../../../contracts/index.ts';
import { DURATION_FORMS, parseDuration } from '../records/durations.ts';

/** Kinds of settings. Every message completes the sentence "'<setting>' …". */

export const text = z.string('must be a text').min(1, 'must not be empty');
export const texts = z.array(text, 'must be a list of texts');
export const flag = z.boolean('must be true or false');
export const count = (least: number) => z.int('must be a whole number').min(least, `must be at least ${least}`);
export const range = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
};
export const choice = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, `must be one of ${values.map((v) => `'${v}'`).join(', ')}`);

export const duration = z
  .union([z.string(), z.number()], `must be a duration: ${DURATION_FORMS}`)
  .transform((value, context) => {
    try {
      return parseDuration(value);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      context.addIssue({
        code: 'custom',
        message: `must be a duration: ${error.facts.what}; ${error.facts.mend?.[0]}`,
      });
      return z.NEVER;
    }
  });
export const timeLimit = duration.refine((ms) => ms > 0, 'must be longer than nothing');

export const size = z
  .string('must be a size such as 512m or 4g')
  .regex(/^\d{1,6}(\.\d+)?[kmg]b?$/i, 'must be a size such as 512m or 4g')
  .transform((value) => {
    const [, amount = '', unit = ''] = /^([\d.]+)([kmg])/i.exec(value) ?? [];
    const power = { k: 1, m: 2, g: 3 }[unit.toLowerCase()] ?? 0;
    return Math.floor(Number(amount) * 1024 ** power);
  });

export const money = z.number('must be an amount in US dollars').positive('must be more than nothing');

export const GROUP = 'must be a group of settings';
