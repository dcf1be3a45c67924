/** Passes a crash point three times. */
import { writeSync } from 'node:fs';
import { crashpoint } from './process/self.ts';

for (const passage of [1, 2, 3]) {
  writeSync(1, `before ${passage}\n`);
  crashpoint('here');
}
writeSync(1, 'end\n');
