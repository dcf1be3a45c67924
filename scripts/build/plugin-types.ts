import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isolatedDeclaration } from 'rolldown/experimental';
import { root } from '../root.ts';

/** Its name in `dist/`; `exports` of package.json names it. */
export const PLUGIN_TYPES = 'plugin.d.ts';

/** One declaration with its comment, as the compiler prints them: nothing else begins at the start of a line. */
const DECLARATION =
  /^(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:declare )?(?:type|interface|const|function) (\w+)[\s\S]*?(?=\n(?:\/\*\*|export )|$(?![\s\S]))/gm;
/** An import, or what a door passes on. */
const IMPORT = /^(?:import|export)(?: type)? \{[^}]*\} from ["'](\.[^"']*)["'];\n/gm;

/**
 * The types that plugins are written against, in one file that imports nothing, so that nothing else of the sources has
 * to ship: those of the public file, and of what that imports everything they mention. Only the public ones are exported.
 * @throws what the compiler reports, and where two files mean different things by one name
 */
export async function pluginTypes(): Promise<string> {
  const [own = '', ...imported] = await declarationsFrom(join(root, 'src/plugins/plugin.ts'));
  const known = declared(own);
  const others = declared(clashFree(imported.join('\n'), known));
  const added = new Map<string, string>();
  const queue = [own];
  for (let text = queue.shift(); text !== undefined; text = queue.shift()) {
    for (const [word] of bare(text).matchAll(/\b[A-Z]\w+/g)) {
      const declaration = others.get(word);
      if (declaration === undefined || known.has(word) || added.has(word)) continue;
      added.set(
        word,
        declaration.replace(/^export (declare const )?/m, (_, constant = '') => constant),
      );
      queue.push(declaration);
    }
  }
  // Without that line a file of types exports everything it declares.
  return [own.trimEnd(), ...added.values(), 'export {};', ''].join('\n');
}

/** Declarations by name. */
function declared(code: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [text, name = ''] of code.matchAll(DECLARATION)) {
    const other = found.get(name);
    if (other !== undefined && bare(other) !== bare(text))
      throw new Error(`two of the plugin types are called ${name}`);
    found.set(name, text);
  }
  return found;
}

/** The public types keep their names: what means something else by one of them gets another. */
function clashFree(code: string, known: ReadonlyMap<string, string>): string {
  const clashes = [...declared(code)].filter(
    ([name, text]) => known.has(name) && bare(known.get(name) ?? '') !== bare(text),
  );
  return clashes.reduce((text, [name]) => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `Event${name}`), code);
}

function bare(declaration: string): string {
  return declaration.replaceAll(/\/\*[\s\S]*?\*\//g, '').trim();
}

/** What a file declares, imports left out, and then what each file declares that it imports, directly or not. */
async function declarationsFrom(first: string): Promise<readonly string[]> {
  const codes: string[] = [];
  const files = [first];
  const wanted = new Set<string>();
  for (const file of files) {
    const { code, errors } = await isolatedDeclaration(file, await readFile(file, 'utf8'));
    const [error] = errors;
    if (error) throw new Error(`${file}: ${error.message}`);
    for (const [line, path = ''] of code.matchAll(IMPORT)) {
      const next = join(dirname(file), path);
      const names = line.match(/\b[A-Z]\w+/g) ?? [];
      // Of what a door passes on, only the files of names that are imported.
      if (line.startsWith('export') && !names.some((name) => wanted.has(name))) continue;
      for (const name of names) if (line.startsWith('import')) wanted.add(name);
      if (!files.includes(next)) files.push(next);
    }
    codes.push(code.replaceAll(IMPORT, ''));
  }
  for (const code of codes) {
    if (/^import /m.test(code)) throw new Error(`${first} imports more than types of its own project`);
  }
  return codes;
}
