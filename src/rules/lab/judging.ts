import { jsonObject } from '../../contracts/index.ts';

const HARNESS =
  /(?:^|\/)(?:GNUmakefile|[Mm]akefile|\.?[Jj]ustfile|Taskfile[^/]*\.ya?ml|tox\.ini|pytest\.ini|setup\.cfg|noxfile\.py|conftest\.py|Rakefile|\.rspec|phpunit\.xml[^/]*|\.mocharc[^/]*|(?:jest|vitest|karma|playwright|cypress|ava|wdio)\.(?:config|setup)\.[^/]*)$/;

/** Whether a file decides how tests run, in all of its text: a change of it could switch them off. */
export function isHarness(path: string): boolean {
  return HARNESS.test(path);
}

/** Fields of `package.json` that decide how tests run. The others, dependencies above all, belong to the work. */
const FIELDS = ['scripts', 'jest', 'mocha', 'ava', 'tap', 'c8', 'nyc', 'vitest'];

/** A `package.json` with the fields of another one that decide how tests run. */
export function withScripts(own: string, other: string): string {
  const [mine, theirs] = [jsonObject(own), jsonObject(other)];
  if (mine === null || theirs === null) return own;
  const differs = FIELDS.filter((field) => JSON.stringify(mine[field]) !== JSON.stringify(theirs[field]));
  if (differs.length === 0) return own;
  // What is undefined is left out of the text.
  return `${JSON.stringify({ ...mine, ...Object.fromEntries(differs.map((field) => [field, theirs[field]])) }, null, 2)}\n`;
}

/** A passing test, as common runners print it with its name: node, vitest, jest, mocha; TAP; go; unittest, pytest, cargo. */
const PASSED: readonly RegExp[] = [
  /^\s*[✔✓√]\s+(.+)$/,
  /^\s*ok \d+ (?:- )?([^#]+)/,
  /^\s*--- PASS: (\S+)/,
  /^(?:test )?(\S.*?)(?: \.\.\. ok| PASSED)\b/,
];
const MOST_NAMES = 500;

/** The names of tests that an output says passed, without what differs from run to run. */
export function passedTests(output: string): readonly string[] {
  const names = output.split('\n').flatMap((line) => {
    const [, name] = PASSED.map((pattern) => pattern.exec(line)).find((match) => match !== null) ?? [];
    return name === undefined ? [] : [name.replace(/\s+\(?\d[\d.]*\s*m?s\)?\s*$/, '').trim()];
  });
  return [...new Set(names)].sort().slice(0, MOST_NAMES);
}

/** Those of the names that a text of tests has: tests inside of code, and in its comments, are the solution's own. */
export function namedIn(text: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const last = name
      .replace(/\s*[([][^()[\]]*[)\]]$/, '')
      .split(/ [>›] |::|[./]/)
      .findLast((part) => part.trim() !== '');
    return last !== undefined && !/^doctest\b| - .*\(line \d+\)$/i.test(name) && text.includes(last.trim());
  });
}
