import * as module from 'node:module';

/** What plugins import for their types. */
const NAME = '@ralph-loop/cli/plugin';

type Resolve = (specifier: string, context: unknown, next: (specifier: string, context: unknown) => unknown) => unknown;

/** Since Node.js 22.15. */
interface NewerModule {
  readonly registerHooks?: (hooks: { readonly resolve: Resolve }) => unknown;
}

/** Of Node.js 20, where hooks are a module with a thread of its own. */
const HOOKS = `let own;
export const initialize = (data) => void (own = data);
export const resolve = (specifier, context, next) =>
  specifier === own.name ? { url: own.url, shortCircuit: true } : next(specifier, context);`;

/**
 * From here on this thread finds the package of the running ralph, wherever that is installed: a project need not have
 * it among its own, and where it has, the version that runs is the one that counts.
 */
export function provideOwnPackage(): void {
  const url = new URL('./plugin.js', import.meta.url).href;
  const { registerHooks } = module as NewerModule;
  if (registerHooks) {
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === NAME ? { url, shortCircuit: true } : next(specifier, context),
    });
  } else {
    module.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: { name: NAME, url } });
  }
}
