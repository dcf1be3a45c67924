import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

type Load = (url: string, context: unknown, next: (url: string, context: unknown) => unknown) => unknown;

/** Since Node 22.15. */
interface NewerModule {
  readonly registerHooks?: (hooks: { readonly load: Load }) => unknown;
}

/** A work tree, and the files in it that may be loaded as code: path relative to it → SHA-256 in hex. */
export interface HeldTree {
  readonly root: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Why a module may not be loaded; null when it may: its bytes are those that a person trusted, or it lies elsewhere. */
function objectionTo({ root, files }: HeldTree, path: string, bytes: Uint8Array): string | null {
  if (!path.startsWith(`${root}/`)) return null;
  const name = path.slice(root.length + 1);
  if (files[name] === createHash('sha256').update(bytes).digest('hex')) return null;
  return `${name} is not as it was trusted: \`ralph trust\` shows it`;
}

/** The same for Node 20, where hooks are a module in a thread of its own. */
const HOOKS = `
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
let tree;
export const initialize = (data) => void (tree = data);
export const load = async (url, context, next) => {
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  if (!path.startsWith(tree.root + '/')) return next(url, context);
  const bytes = readFileSync(path);
  const name = path.slice(tree.root.length + 1);
  if (tree.files[name] !== createHash('sha256').update(bytes).digest('hex'))
    throw new Error(name + ' is not as it was trusted: \`ralph trust\` shows it');
  const loaded = await next(url, context);
  // The bytes that were looked at. With a source of its own CommonJS, too, comes by here with what it requires.
  return { ...loaded, source: bytes };
};`;

/**
 * From here on this thread loads no module from the work tree whose bytes a person has not trusted. The names that
 * imports use do not matter: what counts is the file that is loaded in the end.
 */
export function holdModules(tree: HeldTree): void {
  const { registerHooks } = module as NewerModule;
  if (!registerHooks) {
    module.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: tree });
    return;
  }
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('file:')) return next(url, context);
      const path = fileURLToPath(url);
      if (path.startsWith(`${tree.root}/`)) {
        const objection = objectionTo(tree, path, readFileSync(path));
        if (objection !== null) throw new Error(objection);
      }
      return next(url, context);
    },
  });
}
