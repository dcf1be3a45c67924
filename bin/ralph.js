#!/usr/bin/env node
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { openParts } from '../dist/parts.cjs';

const folder = new URL('../dist/', import.meta.url);
const parts = openParts(fileURLToPath(folder), createRequire(folder));
await parts.load('./main.cjs').ended;
parts.keepCompiled();
