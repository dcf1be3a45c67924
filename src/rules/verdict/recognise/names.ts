/** Is this the name of a script, target or task that runs tests? `test:unit` is one, `test:db:setup` is not. */
export function namesTests(name: string): boolean {
  return !isOtherWork(name) && partsOf(name).some((part) => TEST_WORDS.has(part));
}

/** Does a part of this name say that it prepares, builds or shows something? */
export function isOtherWork(name: string): boolean {
  return partsOf(name).some((part) => NOT_A_RUN.has(part));
}

function partsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[:.\-_/]+/);
}

const TEST_WORDS: ReadonlySet<string> = new Set(
  'test tests testing spec specs e2e unit unittest unittests integration jest vitest mocha ava cypress playwright pytest rspec phpunit pest coverage cov tests-all runtests check checks distcheck installcheck selftest smoke regression'.split(
    ' ',
  ),
);

const NOT_A_RUN: ReadonlySet<string> = new Set(
  'setup seed seeds migrate migration migrations db build compile types type typecheck tsc lint eslint fmt format prettier clean watch list install deps prepare pretest posttest report open data fixtures env up down server serve start stop docs generate gen update helper helpers utils util image docker style spelling spell links size licenses license audit deps'.split(
    ' ',
  ),
);
