/**
 * Loaded into the program before it (`node --import`): its clock is off by the seconds in the file that
 * RALPH_TORTURE_CLOCK names, now and whenever that file changes. Timers go on as they are, as when somebody sets the
 * clock of a machine.
 */
import { readFileSync } from 'node:fs';

const file = process.env.RALPH_TORTURE_CLOCK;
const RealDate = Date;
const now = RealDate.now.bind(RealDate);
let read = Number.NEGATIVE_INFINITY;
let offset = 0;

function shifted() {
  const real = now();
  if (Math.abs(real - read) >= 10) {
    read = real;
    try {
      offset = Number(readFileSync(file, 'utf8')) * 1_000 || 0;
    } catch {
      offset = 0;
    }
  }
  return real + offset;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [shifted()] : args, self),
  apply: () => new RealDate(shifted()).toString(),
  get: (target, name) => (name === 'now' ? shifted : Reflect.get(target, name)),
});
