import { fieldsOf, jsonValue } from '../../contracts/index.ts';
import { words } from '../text/index.ts';
/** The known facts about a folder: the names in it, and the text of the files that name checks. */
export interface ProjectFiles {
  /** Files and folders directly in it, and the few deeper ones in {@link DEEPER} and matching {@link TEST_NAME}. */
  readonly names: ReadonlySet<string>;
  /** null when the file is missing, unreadable or not one of {@link READ}. */
  text(name: string): string | null;
}

/** The rough cost of a check: cheap ones come first, so that failures show early. */
export const Rank = { format: 0, lint: 1, types: 2, test: 3 } as const;

export interface Check {
  readonly rank: (typeof Rank)[keyof typeof Rank];
  readonly command: string;
}

export const READ: readonly string[] = words(
  'package.json turbo.json deno.json deno.jsonc pyproject.toml setup.cfg tox.ini requirements.txt ' +
    'requirements-dev.txt dev-requirements.txt Pipfile composer.json Cargo.toml Gemfile Rakefile ' +
    'CMakeLists.txt meson.build pubspec.yaml deps.edn Makefile makefile GNUmakefile justfile Justfile ' +
    '.justfile Taskfile.yml Taskfile.yaml Taskfile.dist.yml',
);

const JSON_FILES = ['package.json', 'turbo.json', 'deno.json', 'deno.jsonc', 'composer.json'];

export const TEST_FOLDERS: readonly string[] = ['test', 'tests', 'spec', 'src'];
/** Names of tests whose mere presence counts, in the folder itself and in {@link TEST_FOLDERS}. */
export const TEST_NAME = /\.bats$|[._](?:test|spec)\.[cm]?[jt]sx?$/;

/** Files below a folder whose mere presence counts. */
export const DEEPER: readonly string[] = ['bin/rails', 'test/runtests.jl'];

/** Whether any of these files exists. `*.ext` stands for any name with that extension. */
export function has({ names }: ProjectFiles, ...wanted: readonly string[]): boolean {
  return wanted.some((name) =>
    name.startsWith('*') ? [...names].some((one) => one.endsWith(name.slice(1))) : names.has(name),
  );
}

export function says(files: ProjectFiles, pattern: RegExp, ...names: readonly string[]): boolean {
  return names.some((name) => pattern.test(files.text(name) ?? ''));
}

export function firstText(files: ProjectFiles, names: readonly string[]): string {
  return names.map((name) => files.text(name)).find((text) => text !== null) ?? '';
}

/** The fields of a JSON file; comments and trailing commas are accepted. Empty when it cannot be read. */
export function jsonFields(files: ProjectFiles, name: string): Readonly<Record<string, unknown>> {
  return fieldsOf(jsonIn(files.text(name) ?? '{}'));
}

/** JSON files with invalid text: their content was not used. */
export function unreadable(files: ProjectFiles): readonly string[] {
  return JSON_FILES.filter((name) => {
    const text = files.text(name);
    return text !== null && jsonIn(text) === undefined;
  });
}

function jsonIn(withMark: string): unknown {
  const text = withMark.replace(/^\uFEFF/, '');
  // Strings match first, so that comment-like text inside one stays.
  const plain = text.replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g, '$1');
  return jsonValue(plain);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
