#!/usr/bin/env node
import module from 'node:module';

// A static import would be evaluated before this line, and so miss the cache. Node 20 has no cache to enable.
module.enableCompileCache?.();
await import('../dist/main.js');
