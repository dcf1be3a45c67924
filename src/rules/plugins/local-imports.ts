/** `import … from './x'`, `export … from './x'`, `import './x'`, `import('./x')`, `require('./x')`, `new URL('./x', …)`. */
const RELATIVE = /(?:\bfrom|\bimport|\brequire|\bURL)\s*\(?\s*(['"`])(\.\.?\/[^'"`\n]*)\1/g;

/**
 * The files that the text of a module names with a relative path, joined to its folder: relative to the root, without
 * those that lead out of it. Read from the text, so that nothing has to run: what it works out at run time is not found.
 * @param file of the module, relative to the root, `/`-separated
 */
export function localImports(file: string, text: string): readonly string[] {
  const folder = file.split('/').slice(0, -1);
  const found = new Set<string>();
  for (const [, , specifier = ''] of text.matchAll(RELATIVE)) {
    const path = joinedTo(folder, specifier.replace(/[?#].*$/, ''));
    if (path !== null) found.add(path);
  }
  return [...found];
}

/** A relative path from a folder on, `.` and `..` folded; null when it leads out of the root. */
export function joinedTo(folder: readonly string[], path: string): string | null {
  const parts = [...folder];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.length > 0 ? parts.join('/') : null;
}

/** `import … from 'x'`, `import 'x'`, `import('x')`, `require('x')`, `require.resolve('x')`. */
const BARE =
  /(?:\bfrom|\bimport|\brequire(?:\.resolve)?)\s*\(?\s*(['"`])((?:@[^/'"`\s]+\/)?[^./'"`\s][^/'"`\s]*)(?:\/[^'"`\n]*)?\1/g;

/** The packages that the text of a module names; those of Node itself may be among them. */
export function packagesNamed(text: string): readonly string[] {
  return [...new Set([...text.matchAll(BARE)].map(([, , name = '']) => name))].filter(
    (name) => name !== '' && !name.startsWith('node:'),
  );
}
