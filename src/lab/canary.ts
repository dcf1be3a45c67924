import type { Git } from '../adapters/git/index.ts';

const JS = "throw new Error('must fail');";
/** By extension: a last line that makes any file of tests fail. */
const LAST_LINES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['js', 'cjs', 'mjs', 'jsx', 'ts', 'cts', 'mts', 'tsx'].map((name) => [name, JS])),
  py: 'raise RuntimeError("must fail")',
  // Not init(): those of other files may run first.
  go: 'func TestMustFail(t *testing.T) { t.Fatal("must fail") }',
  rb: "raise 'must fail'",
  php: "throw new Exception('must fail');",
  exs: 'raise "must fail"',
  rs: '#[test]\nfn must_fail() { panic!() }',
};

/**
 * A tree with hidden tests, each made to fail: where its checks are green all the same, the code that is tested ends
 * the tests or hides what they say, and their success proves nothing. Null: not known how, for these files.
 */
export async function withFailingTests(git: Git, tree: string, tests: readonly string[]): Promise<string | null> {
  const files: Record<string, string> = {};
  for (const path of tests) {
    const line = LAST_LINES[/[^.]*$/.exec(path)?.[0] ?? ''];
    const bytes = line === undefined ? null : await git.show(tree, path);
    if (bytes !== null) files[path] = `${Buffer.from(bytes).toString('utf8')}\n${line}\n`;
  }
  return Object.keys(files).length === 0 ? null : git.treeWith(tree, files);
}
