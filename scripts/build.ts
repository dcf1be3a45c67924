/** `npm run build [-- --if-stale]`: bundles src/ into dist/. */
import { isStale } from './build/freshness.ts';

if (!process.argv.includes('--if-stale') || (await isStale())) {
  // Loading the bundler takes longer than finding out that there is nothing to do.
  const { bundle } = await import('./build/bundle.ts');
  await bundle();
}
