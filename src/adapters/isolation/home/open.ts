import type { OpenHome } from '../port.ts';
import type { Homes, HomesInput } from './homes.ts';

/** Homes of processes inside, prepared when the first one is needed: many backends are opened only for inspection. */
export function lazyHomes(input: HomesInput): { readonly prepare: () => Promise<Homes>; readonly open: OpenHome } {
  let homes: Promise<Homes> | null = null;
  const prepare = () => {
    homes ??= import('./homes.ts').then(({ prepareHomes }) => prepareHomes(input));
    return homes;
  };
  return { prepare, open: async () => (await prepare()).open() };
}
