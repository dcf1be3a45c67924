import * as fc from 'fast-check';
import { KINDS, type Kind } from './kinds.ts';
import { takeOverGlobals } from './machine/globals.ts';
import type { Verdict } from './verdict.ts';

const clock = performance.now.bind(performance);
/** Steps that a replay tells of. */
const STORY = 40;
/** One world, its sizes drawn evenly. */
const FIRST = { numRuns: 1, unbiased: true } as const;

interface Asked {
  readonly runs: number;
  readonly seed: number;
  readonly only: string | null;
  /** Of each kind: after so many it ends. */
  readonly failures: number;
  /** A world as text, or a seed. */
  readonly replay: string | null;
}

/** Runs what the command line asks for, prints how it went. @returns the exit code */
export async function simulate(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  takeOverGlobals();
  if (asked.replay !== null) return replay(asked, asked.replay);
  const began = clock();
  const kinds = Object.entries(KINDS).filter(([name]) => asked.only === null || name === asked.only);
  const whole = kinds.reduce((sum, [, { weight }]) => sum + weight, 0);
  let failed = 0;
  for (const [name, kind] of kinds) {
    const runs = Math.round((asked.runs * kind.weight) / whole);
    const from = clock();
    const tally = new Map<string, number>();
    let done = 0;
    let failures = 0;
    for (; done < runs; done += 1) {
      const seed = asked.seed + done;
      const verdict = await one(kind, seed);
      tally.set(verdict.ended, (tally.get(verdict.ended) ?? 0) + 1);
      if (verdict.violations.length === 0) continue;
      failed += 1;
      failures += 1;
      console.log(`${name}: run ${done + 1} fails, seed ${seed}`);
      for (const text of verdict.violations) console.log(`  ${text}`);
      await explain(name, kind, seed);
      if (failures < asked.failures) continue;
      done += 1;
      break;
    }
    const seconds = (clock() - from) / 1000;
    const ends = [...tally].sort((a, b) => b[1] - a[1]).map(([word, count]) => `${word} ${count}`);
    console.log(
      `${name}: ${done} runs in ${seconds.toFixed(1)} s, ${Math.round(done / seconds)}/s (${ends.join(', ')})`,
    );
  }
  console.log(`${failed === 0 ? 'no violation' : 'VIOLATIONS'} in ${((clock() - began) / 1000).toFixed(1)} s`);
  return failed === 0 ? 0 : 1;
}

/** The world of a seed, played once. */
async function one(kind: Kind, seed: number): Promise<Verdict> {
  return kind.play(worldOf(kind, seed));
}

/** The first world that fast-check makes from a seed. */
function worldOf(kind: Kind, seed: number): unknown {
  let made: unknown;
  const take = fc.property(kind.worlds, (world) => {
    made = world;
  });
  fc.check(take, { seed, ...FIRST });
  return made;
}

/** Makes the world of a seed as small as it can be while it still fails, and tells how to see it again. */
async function explain(name: string, kind: Kind, seed: number): Promise<void> {
  const smallest = await shrink(kind, seed);
  if (smallest === undefined) {
    console.log('played again it holds: something is carried over from run to run within this process');
    return;
  }
  const verdict = await kind.play(smallest);
  console.log(`smallest world that fails: ${JSON.stringify(smallest)}`);
  for (const text of verdict.violations) console.log(`  ${text}`);
  console.log('again:');
  console.log(`  npm run simulate -- --only ${name} --replay ${seed}`);
  console.log(`  npm run simulate -- --only ${name} --replay '${JSON.stringify(smallest)}'`);
}

/** fast-check's own shrinking, from the world that the seed gives. */
async function shrink(kind: Kind, seed: number): Promise<unknown> {
  const holds = async (world: unknown) => (await kind.play(world)).violations.length === 0;
  const { counterexample } = await fc.check(fc.asyncProperty(kind.worlds, holds), { seed, ...FIRST });
  return counterexample?.[0];
}

async function replay({ only }: Asked, what: string): Promise<number> {
  const name = only ?? 'loop';
  const kind = KINDS[name];
  if (!kind) throw new Error(`there is no simulation ${name}`);
  const world = /^\d+$/.test(what) ? worldOf(kind, Number(what)) : JSON.parse(what);
  const [verdict, again] = [await kind.play(world), await kind.play(world)];
  console.log(JSON.stringify(world));
  for (const line of verdict.story.slice(-STORY)) console.log(`  ${line}`);
  console.log(`ended: ${verdict.ended}, trace ${verdict.trace}`);
  for (const text of verdict.violations) console.log(`violated: ${text}`);
  if (verdict.trace !== again.trace) console.log(`violated: played again it went another way (${again.trace})`);
  return verdict.violations.length === 0 && verdict.trace === again.trace ? 0 : 1;
}

function parse(args: readonly string[]): Asked {
  const value = (name: string) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? null : (args[at + 1] ?? null);
  };
  return {
    runs: Number(value('runs') ?? 10_000),
    seed: Number(value('seed') ?? 1),
    only: value('only'),
    failures: Number(value('failures') ?? 1),
    replay: value('replay'),
  };
}
