/** Is this file a test, by its name or by the folder it is in? */
export function isTestFile(path: string): boolean {
  const parts = path.replace(/^\.\//, '').split('/');
  const file = parts.at(-1) ?? '';
  if (
    /(?:^|[._-])(?:test|tests|spec|specs|e2e)(?:[._-]|$)/i.test(file) ||
    /^(?:run_?)?tests?(?:suite|runner|all)?\.\w+$/i.test(file)
  )
    return true;
  if (/(?:Test|Tests|Spec|IT)\.\w+$/.test(file) || /^Test[A-Z]\w*\.\w+$/.test(file) || /\.(?:t|bats)$/.test(file))
    return true;
  return parts.slice(0, -1).some((part) => TEST_FOLDERS.has(part.toLowerCase()));
}

const TEST_FOLDERS: ReadonlySet<string> = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 't', 'e2e']);
