/** Replaces a file for ever, by turns with one text and another. */
import { writeAtomic } from './atomic-file.ts';

const [path = '', fsync = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
for (let turn = 0; ; turn += 1) {
  await writeAtomic(path, (turn % 2 === 0 ? 'a' : 'b').repeat(300_000), { fsync: fsync === 'fsync' });
}
