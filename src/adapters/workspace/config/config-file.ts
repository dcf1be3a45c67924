import { pathToFileURL } from 'node:url';
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { ConfigError, messageOf } from '../../../contracts/index.ts';
import { importModule, isThereSync, readInside } from '../../../platform/index.ts';
import { CONFIG_FILES } from '../paths.ts';

/** Whether a path, relative to the root, is a configuration file. */
export function isConfigFile(path: string): boolean {
  return (CONFIG_FILES as readonly string[]).includes(path);
}

export interface ConfigFile {
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Line of the value at `path`, or of its nearest existing parent; 1 for code. */
  lineOf(path: readonly PropertyKey[]): number;
  /** Why it cannot be used; `values` are then what could be read of it all the same. */
  readonly error: ConfigError | null;
}

/**
 * The project's configuration file, unchecked; null when there is none. Of two the first counts, with an error.
 * @param runsCode false refuses a file that is code: an agent may have written it
 */
export async function readConfigFile(root: string, runsCode: boolean): Promise<ConfigFile | null> {
  const [file, second] = filesThere(root);
  if (file === undefined) return null;
  const found = await contentOf(root, file, runsCode).catch((error: unknown): ConfigFile => {
    if (!(error instanceof ConfigError)) throw error;
    return { file, values: {}, lineOf: () => 1, error };
  });
  return second === undefined ? found : { ...found, error: twoFiles(root, file, second) };
}

async function contentOf(root: string, file: string, runsCode: boolean): Promise<ConfigFile> {
  if (file.endsWith('.json')) return parseConfig(file, await configText(root, file));
  if (runsCode) return readModule(root, file);
  throw new ConfigError({
    what: `${file} is not run now`,
    where: root,
    why: 'an iteration was cut off by a crash, and its agent may have changed this file',
    fix: ['`ralph run` restores everything first, then continues'],
  });
}

/** Name of the project's configuration file, null when there is none. @throws ConfigError when there are two */
export async function findConfigFile(root: string): Promise<string | null> {
  const [file, second] = filesThere(root);
  if (file !== undefined && second !== undefined) throw twoFiles(root, file, second);
  return file ?? null;
}

function filesThere(root: string): readonly string[] {
  return CONFIG_FILES.filter((file) => isThereSync(`${root}/${file}`));
}

function twoFiles(root: string, file: string, second: string): ConfigError {
  return new ConfigError({
    what: `two configuration files: ${file} and ${second}`,
    where: root,
    why: 'ralph cannot tell which one to use',
    fix: ['move everything into one and delete the other'],
  });
}

/** No person writes more than that by hand. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Text of a configuration file. @throws ConfigError when it is not UTF-8, no plain file, or a link out of the tree */
export async function configText(root: string, file: string): Promise<string> {
  const found = await readInside(root, file, MOST_BYTES);
  if (found.bytes !== null) return decode(file, found.bytes);
  throw notUsable(file, `it ${found.why ?? 'is gone'}`, 'put a plain file of the project there, or remove it');
}

/** The content of a JSON configuration file, unchecked. @throws ConfigError when it is not JSON */
export function configIn(file: string, text: string): ConfigFile {
  const found = parseConfig(file, text);
  if (found.error !== null) throw found.error;
  return found;
}

function parseConfig(file: string, text: string): ConfigFile {
  const errors: ParseError[] = [];
  // Comments and a trailing comma are allowed: people write this file.
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const isGroup = tree?.type === 'object';
  return {
    file,
    values: isGroup ? (toValue(tree) as Record<string, unknown>) : {},
    lineOf: (path) => (isGroup ? lineAt(text, offsetOf(tree, path)) : 1),
    error: faultIn(file, text, tree, errors[0]),
  };
}

function faultIn(file: string, text: string, tree: Node | undefined, error: ParseError | undefined) {
  if (text.trim() === '') return notUsable(`${file}:1`, 'it is empty');
  if (error !== undefined || tree === undefined) {
    const at = error?.offset ?? 0;
    return notUsable(
      `${file}:${lineAt(text, at)}`,
      `it is not JSON: ${error ? printParseErrorCode(error.error) : 'nothing in it'} at column ${at - text.lastIndexOf('\n', at - 1)}`,
    );
  }
  if (tree.type === 'object') return duplicateIn(file, text, tree, []);
  return notUsable(
    `${file}:1`,
    `it contains ${tree.type === 'array' ? 'a list' : `a ${tree.type}`} instead of settings`,
  );
}

/** Programs disagree on which duplicate counts, and an edit could change the other one. */
function duplicateIn(file: string, text: string, node: Node, path: readonly string[]): ConfigError | null {
  const seen = new Map<string, number>();
  for (const member of node.children ?? []) {
    const [name, value] = member.type === 'property' ? (member.children ?? []) : [null, member];
    const inner = name ? [...path, String(name.value)] : path;
    if (name) {
      const first = seen.get(name.value);
      const line = lineAt(text, member.offset);
      if (first !== undefined) {
        const why = `'${inner.join('.')}' is set twice`;
        return notUsable(`${file}:${first} and ${file}:${line}`, why, 'delete one of the two');
      }
      seen.set(name.value, line);
    }
    const below = value ? duplicateIn(file, text, value, inner) : null;
    if (below !== null) return below;
  }
  return null;
}

async function readModule(root: string, file: string): Promise<ConfigFile> {
  // Newer than the types of Node 20.
  const { typescript } = process.features as { readonly typescript?: false | string };
  if (file.endsWith('.ts') && !typescript) {
    throw new ConfigError({
      what: `this Node (${process.version}) cannot read ${file}`,
      where: file,
      why: 'Node strips types since 22.18',
      fix: ['use Node 22.18 or later', 'write ralph.config.js or ralph.config.json instead'],
    });
  }
  // Node would wait forever on a FIFO.
  await configText(root, file);
  const loaded = await importModule(pathToFileURL(`${root}/${file}`).href).catch((error: unknown) => {
    throw notUsable(file, `it does not load: ${messageOf(error)}`);
  });
  const values: unknown = (loaded as { default?: unknown }).default;
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw notUsable(
      file,
      'it has no default export that holds settings',
      'write `export default { maxIterations: 20 };`',
    );
  }
  return { file, values: values as Record<string, unknown>, lineOf: () => 1, error: null };
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUsable(`${file}:1`, 'it is not UTF-8 text');
  }
}

/** jsonc-parser's own getNodeValue builds objects with a prototype, where `__proto__` would do harm. */
function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children }) => [children?.[0]?.value, children?.[1] && toValue(children[1])]),
  );
}

function offsetOf(tree: Node, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(
      tree,
      path.slice(0, length).map((part) => (typeof part === 'symbol' ? String(part) : part)),
    );
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent.offset : node.offset;
  }
  return tree.offset;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function notUsable(
  where: string,
  why: string,
  fix = 'correct the file, or delete it to run with the defaults',
): ConfigError {
  return new ConfigError({ what: 'the configuration cannot be read', where, why, fix: [fix] });
}
