/**
 * Loaded before a program (`node --import`): how many objects it holds, after a collection, when it has printed the end
 * of the iterations that RETAINED_AT names; as one JSON list when it ends. Only where COUNTS_OF is in its command line.
 */
import { writeFileSync } from 'node:fs';
import { queryObjects } from 'node:v8';

const { COUNTS_FILE: file, COUNTS_OF: program, RETAINED_AT: instants = '' } = process.env;

if (file !== undefined && program !== undefined && process.argv[1]?.endsWith(program)) {
  const at = instants.split(',').map(Number);
  const held = [];
  let ended = 0;
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text, ...rest) => {
    if (String(text).includes('"type":"iteration-end"') && at.includes(++ended)) {
      setImmediate(() => held.push(queryObjects(Object, { format: 'count' })));
    }
    return write(text, ...rest);
  };
  process.once('exit', () => writeFileSync(file, JSON.stringify(held)));
}
