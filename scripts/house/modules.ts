import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'rolldown/utils';

/** A name of another file of the repository; `*` for all of its names. */
export interface Name {
  readonly file: string;
  readonly name: string;
}

export interface Module {
  readonly file: string;
  readonly text: string;
  readonly lines: number;
  readonly isTest: boolean;
  /** Files that it imports statically or exports from, types as well. */
  readonly needs: ReadonlySet<string>;
  /** Files that it loads later or names in a type, by `import('./x.ts')`. */
  readonly later: readonly string[];
  /** What it imports statically, by its name here. */
  readonly imports: ReadonlyMap<string, Name>;
  /** What it loads by `const { name } = await import('./x.ts')`. */
  readonly lazy: ReadonlyMap<string, Name>;
  /** What it exports; null where that is its own. */
  readonly exports: ReadonlyMap<string, Name | null>;
}

export type Modules = ReadonlyMap<string, Module>;

/** The TypeScript and JavaScript of a checkout, by path. */
export function readModules(root: string): Modules {
  const files = ['src', 'dashboard', 'scripts', 'bench', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      posix.join(folder, path.replaceAll('\\', '/')),
    ),
  );
  const sources = files.filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.includes('node_modules/')).sort();
  return new Map(sources.map((file) => [file, readModule(file, readFileSync(join(root, file), 'utf8'))]));
}

function readModule(file: string, text: string): Module {
  const { staticImports, staticExports } = parseSync(file, text).module;
  const target = (request: string) => posix.join(posix.dirname(file), request);
  const named = (request: string, { kind, name }: { readonly kind: string; readonly name?: string | null }): Name => ({
    file: target(request),
    name: kind === 'Default' ? 'default' : (name ?? '*'),
  });
  const needs = new Set<string>();
  const imports = new Map<string, Name>();
  for (const { moduleRequest, entries } of staticImports) {
    const { value } = moduleRequest;
    if (!value.startsWith('.')) continue;
    needs.add(target(value));
    for (const { importName, localName } of entries) imports.set(localName.value, named(value, importName));
  }
  const exports = new Map<string, Name | null>();
  for (const { moduleRequest, importName, exportName } of staticExports.flatMap(({ entries }) => entries)) {
    const value = moduleRequest?.value ?? '';
    if (value.startsWith('.')) needs.add(target(value));
    exports.set(named('', exportName).name, value.startsWith('.') ? named(value, importName) : null);
  }
  const later = [...text.matchAll(/import\(\s*'(\.[^']+)'/g)].map(([, request = '']) => target(request));
  const lazy = new Map<string, Name>();
  for (const [, names = '', request = ''] of text.matchAll(/const \{([^}]+)\} = await import\('(\.[^']+)'\)/g))
    for (const name of names.match(/\w+/g) ?? []) lazy.set(name, { file: target(request), name });
  const isTest = file.startsWith('test/') || /\.(test|fixture)\.\w+$/.test(file);
  return { file, text, lines: text.split('\n').length - 1, isTest, needs, later, imports, lazy, exports };
}
