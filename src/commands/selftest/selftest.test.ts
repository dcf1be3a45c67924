import { expect, test } from 'vitest';
import { UsageError } from '../../contracts/errors.ts';
import { memoryIo } from '../../surfaces/terminal/io.fixture.ts';
import { selftest } from './selftest.ts';

test('a row that is not in the table is refused with the nearest name', async () => {
  const refused = selftest([], { only: 'pushes,does-nothin' }, memoryIo());
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toMatchObject({
    facts: { what: "there is no row 'does-nothin'", mend: ['did you mean does-nothing?'] },
  });
});
