export function isTestFile(path: string): boolean {
  const folders = path.replace(/^\.\//, '').split('/').slice(0, -1);
  return isTestName(path) || folders.some((folder) => TEST_FOLDERS.some((pattern) => pattern.test(folder)));
}

/** Whether the file's name says that it is a test. Test folders also hold helpers and data. */
export function isTestName(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return (
    /(?:^|[._-])(?:test|tests|spec|specs|e2e)(?:[._-]|$)/i.test(file) ||
    /^(?:run_?)?tests?(?:suite|runner|all)?\.\w+$/i.test(file) ||
    /(?:Test|Tests|TestCase|Spec|IT)\.\w+$/.test(file) ||
    /^Test[A-Z]\w*\.\w+$/.test(file) ||
    /\.(?:t|bats|cy\.[jt]sx?)$/.test(file)
  );
}

/** `tests`, `__tests__`; Gradle's `androidTest`, .NET's `Cart.Tests`, Swift's `CartTests`. */
const TEST_FOLDERS: readonly RegExp[] = [/^(?:__tests__|(?:unit)?tests?|specs?|t|e2e|cypress)$/i, /[a-z.]Tests?$/];
