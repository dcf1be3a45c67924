/** `npm run bench [-- NAME…]`: runs the named benchmarks of bench/, or all of them. They print their own figures. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';

const known = (await readdir(join(root, 'bench')))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}. There are: ${known.join(', ')}`);
  process.exit(2);
}

for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`\n── ${name}`);
  const { exitCode } = await runProgram(process.execPath, ['--import', 'tsx', join(root, 'bench', `${name}.ts`)], {
    cwd: root,
  });
  if (exitCode !== 0) process.exitCode = 1;
}
