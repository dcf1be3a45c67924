#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';

// A static import would be evaluated before this line, and so miss the cache. Node 20 has no cache to enable. By default
// it lies below the shared temp folder under a name that is known beforehand: others of this machine could plant code.
const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
const caches = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : `${homedir()}/.cache`;
module.enableCompileCache?.(NODE_COMPILE_CACHE || `${caches}/ralph/compiled`);
await import('../dist/main.js');
