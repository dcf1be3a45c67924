import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

type Load = (url: string, context: unknown, next: (url: string, context: unknown) => unknown) => unknown;

/** Available since Node 22.15. */
interface NewerModule {
  readonly registerHooks?: (hooks: { readonly load: Load }) => { readonly deregister: () => void };
}

/** A work tree, and the files in it that may be loaded as code: relative path → SHA-256 in hex. */
export interface HeldTree {
  readonly root: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Why a module may not be loaded; null when it may: a person trusted exactly these bytes, or it lies elsewhere. */
function objectionTo({ root, files }: HeldTree, path: string, bytes: Uint8Array): string | null {
  if (!path.startsWith(`${root}/`)) return null;
  const name = path.slice(root.length + 1);
  if (files[name] === createHash('sha256').update(bytes).digest('hex')) return null;
  return `${name} has changed since it was trusted: \`ralph trust\` shows it`;
}

/** The same check for `import` in Node 20, where hooks are a module in a separate thread. */
const HOOKS = `
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
let tree;
export const initialize = (data) => void (tree = data);
export const load = async (url, context, next) => {
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  const isOver = Atomics.load(new Int32Array(tree.over), 0) === 1;
  if (isOver || !path.startsWith(tree.root + '/') || path.startsWith(tree.own)) return next(url, context);
  const bytes = readFileSync(path);
  const name = path.slice(tree.root.length + 1);
  if (tree.files[name] !== createHash('sha256').update(bytes).digest('hex'))
    throw new Error(name + ' has changed since it was trusted: \`ralph trust\` shows it');
  const loaded = await next(url, context);
  // The bytes that were looked at. With a source of its own CommonJS, too, comes by here with what it requires.
  return { ...loaded, source: bytes };
};`;

/** ralph itself, which may be installed in the project that it works on. */
const OWN = fileURLToPath(new URL('./', import.meta.url));

/**
 * From here on this thread loads no module from the work tree whose bytes a person has not trusted. The names that
 * imports use do not matter: what counts is the file that is finally loaded.
 * @returns a function that ends that: what the program itself loads later, such as its dependencies, may lie in the
 * tree too
 */
export function holdModules(tree: HeldTree): () => void {
  const { registerHooks } = module as NewerModule;
  const refuse = (path: string) => {
    if (!path.startsWith(`${tree.root}/`) || path.startsWith(OWN)) return;
    const objection = objectionTo(tree, path, readFileSync(path));
    if (objection !== null) throw new Error(objection);
  };
  if (registerHooks) {
    const hooks = registerHooks({
      load(url, context, next) {
        if (url.startsWith('file:')) refuse(fileURLToPath(url));
        return next(url, context);
      },
    });
    return () => hooks.deregister();
  }
  const over = new SharedArrayBuffer(4);
  module.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: { ...tree, own: OWN, over } });
  const restore = holdRequired(refuse);
  return () => {
    Atomics.store(new Int32Array(over), 0, 1);
    restore();
  };
}

type Extension = (this: unknown, made: unknown, path: string) => unknown;

/** Covers `createRequire`, which those hooks do not see. @returns a function that undoes it */
function holdRequired(refuse: (path: string) => void): () => void {
  const { _extensions: extensions } = module.Module as unknown as { readonly _extensions: Record<string, Extension> };
  const before = { ...extensions };
  for (const [ending, load] of Object.entries(before)) {
    extensions[ending] = function held(made, path) {
      refuse(path);
      return load.call(this, made, path);
    };
  }
  return () => void Object.assign(extensions, before);
}
