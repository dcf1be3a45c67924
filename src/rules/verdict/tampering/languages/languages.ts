import { c } from './c.ts';
import { csharp } from './csharp.ts';
import { elixir } from './elixir.ts';
import { go } from './go.ts';
import { javascript } from './javascript.ts';
import { jvm } from './jvm.ts';
import type { Language } from './language.ts';
import { php } from './php.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { shell } from './shell.ts';
import { swift } from './swift.ts';

const languages: readonly Language[] = [javascript, python, go, rust, jvm, csharp, ruby, php, elixir, swift, c, shell];

const byExtension: ReadonlyMap<string, Language> = new Map(
  languages.flatMap((language) => language.extensions.map((extension) => [extension, language] as const)),
);

/** The language of a path by its extension; undefined for what holds no tests. */
export function languageOf(path: string): Language | undefined {
  return byExtension.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}
