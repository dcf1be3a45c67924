import { UsageError } from '../../contracts/errors.ts';

/** Of a folder, a ref, a queue: nothing of it needs quoting anywhere, and it leads nowhere. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** @throws UsageError for what cannot be the name of a stream */
export function refuseOddName(stream: string): void {
  if (NAME.test(stream) && !stream.includes('..') && !stream.endsWith('.lock')) return;
  throw new UsageError({
    what: `'${stream}' cannot be the name of a stream`,
    why: 'a name has up to 100 letters, digits, `.`, `-` and `_`, and begins with a letter or digit',
  });
}
