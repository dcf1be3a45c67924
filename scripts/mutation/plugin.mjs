/**
 * A plugin of Stryker, which loads it into a process of its own and without tsx: takes `sample.count` of the mutants, by
 * a hash of their place and `sample.seed`, and calls the others invalid, so that they count for nothing. The same seed
 * takes the same mutants while the sources stay.
 */
import { createHash } from 'node:crypto';

/** Stryker groups all mutants at once in its one checker process, then asks about each. */
class Sample {
  static inject = ['options'];
  #taken = new Set();
  #options;

  constructor({ sample }) {
    this.#options = sample;
  }

  async init() {}

  async group(mutants) {
    const { count, seed } = this.#options;
    const rank = ({ fileName, location, replacement }) =>
      createHash('sha256')
        .update(JSON.stringify([seed, fileName.split('/src/').at(-1), location.start, location.end, replacement]))
        .digest('hex');
    const ranked = mutants.map((mutant) => [rank(mutant), mutant.id]).sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [, id] of ranked.slice(0, count)) this.#taken.add(id);
    return mutants.map(({ id }) => [id]);
  }

  async check(mutants) {
    const left = { status: 'compileError', reason: 'not in the sample' };
    return Object.fromEntries(mutants.map(({ id }) => [id, this.#taken.has(id) ? { status: 'passed' } : left]));
  }
}

/** Says at once which mutant no test noticed: a run that is cut off has told something. */
class Missed {
  onMutantTested({ status, fileName, location, replacement }) {
    if (status !== 'Survived' && status !== 'NoCoverage') return;
    const { line, column } = location.start;
    const what = (replacement ?? '').replace(/\s+/g, ' ').slice(0, 90);
    process.stdout.write(`${status} ${fileName.split('/src/').at(-1)}:${line}:${column} → ${what}\n`);
  }
}

export const strykerPlugins = [
  { kind: 'Checker', name: 'sample', injectableClass: Sample },
  { kind: 'Reporter', name: 'missed', injectableClass: Missed },
];

export const strykerValidationSchema = {
  properties: {
    sample: { type: 'object', properties: { count: { type: 'number' }, seed: { type: 'number' } } },
  },
};
