#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// Used by scripts and by every installer: answered before anything else is loaded.
if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else {
  const [{ createRequire }, { fileURLToPath }, { openParts }] = await Promise.all([
    import('node:module'),
    import('node:url'),
    import('../dist/parts.cjs'),
  ]);
  const folder = new URL('../dist/', import.meta.url);
  const parts = openParts(fileURLToPath(folder), createRequire(folder));
  await parts.load('./main.cjs').ended;
  parts.keepCompiled();
}
