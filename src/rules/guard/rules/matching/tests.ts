import type { GuardTest } from '../../api.ts';

/** A test that is true for commands of these programs only. See `GuardTest.programs` for how they are named. */
export function forPrograms(programs: string | readonly string[], test: GuardTest): GuardTest {
  const names = typeof programs === 'string' ? programs.split(' ') : programs;
  const known = new Set(names);
  const narrowed: GuardTest = (command, context, script) =>
    (known.has(command.name) || known.has(familyOf(command.name))) && test(command, context, script);
  return Object.assign(narrowed, { programs: names });
}

/** `python` for `python3.13`, `mkfs` for `mkfs.ext4`. */
export function familyOf(program: string): string {
  return program.replace(/[\d.].*$/, '');
}

/** Any of several tests. */
export function anyOf(...tests: readonly GuardTest[]): GuardTest {
  const test: GuardTest = (command, context, script) => tests.some((each) => each(command, context, script));
  const programs = tests.map((each) => each.programs ?? null);
  if (programs.includes(null)) return test;
  return Object.assign(test, { programs: [...new Set(programs.flatMap((names) => names ?? []))] });
}

/** All of several tests. */
export function allOf(...tests: readonly GuardTest[]): GuardTest {
  const test: GuardTest = (command, context, script) => tests.every((each) => each(command, context, script));
  const programs = tests.find((each) => each.programs !== undefined)?.programs;
  return programs === undefined ? test : Object.assign(test, { programs });
}

export function not(test: GuardTest): GuardTest {
  return (command, context, script) => !test(command, context, script);
}
