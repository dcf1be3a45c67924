/**
 * `npm run mutate [-- AREA…] [--sample N] [--seed S] [--jobs N] [--skip-static] [--only GLOB]`: changes the sources of an area in small ways, one at a
 * time, and says which changes no test noticed. docs/testing.md has what came of it. Mutants that are there before a
 * test begins (tables, constants) need a new process and every test of the area, each: --skip-static leaves them out.
 */
import { parseArgs } from 'node:util';
import { AREAS } from './mutation/areas.ts';
import { mutate } from './mutation/mutate.ts';
import { reportOf } from './mutation/report.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    'skip-static': { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const whole = (name: string, text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    console.error(`--${name} wants a whole number from 1 on, not \`${text}\``);
    process.exit(2);
  }
  return number;
};
const sample = values.sample === undefined ? null : whole('sample', values.sample);
const seed = whole('seed', values.seed);
const jobs = whole('jobs', values.jobs);
const skipStatic = values['skip-static'];
const unknown = positionals.filter((name) => AREAS[name] === undefined);
if (unknown.length > 0) {
  console.error(`No such area: ${unknown.join(', ')}. There are: ${Object.keys(AREAS).join(', ')}`);
  process.exit(2);
}

for (const [name, area] of Object.entries(AREAS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const started = Date.now();
  const only = values.only === undefined ? area : { ...area, sources: [values.only] };
  const mutants = await mutate(only, { sample, seed, jobs, skipStatic });
  console.log(reportOf(name, mutants, { sample, seed, skipStatic, tookMs: Date.now() - started }));
}
