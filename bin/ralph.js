#!/usr/bin/env node
import module from 'node:module';

// A static import of the program would be evaluated before this line, and so miss the cache. Node 20 has none to enable.
if (module.enableCompileCache) {
  const { privateCache } = await import('./private-cache.js');
  const folder = process.env.NODE_COMPILE_CACHE || privateCache(process.env);
  if (folder) module.enableCompileCache(folder);
}
await import('../dist/main.js');
