#!/usr/bin/env node
// CommonJS, as the package.json beside it says: Node's loader of ES modules takes longer than an answer to --version.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// Used by scripts and by every installer: answered before anything else is loaded.
if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  const manifest = readFileSync(join(__dirname, '../package.json'), 'utf8');
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else {
  const { createRequire } = require('node:module');
  const { setFlagsFromString } = require('node:v8');
  const { openParts } = require('../dist/parts.cjs');
  const isRun = process.argv[2] === 'run';
  // V8 is tuned for busy programs, and this one waits: it neither lets the space for young objects grow to 32 MB, nor
  // collects old ones only once they have doubled, nor optimises, with megabytes of its own, what runs now and then; a
  // run, which lasts, nothing at all. A small process also starts git faster.
  const setFlags = () => {
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--heap-growing-percent=30');
    if (isRun) setFlagsFromString('--no-opt');
    // Later lines know another flag, and a smaller compiler. V8 complains of one that it does not know.
    else if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=4000000');
  };
  const folder = join(__dirname, '../dist/');
  const parts = openParts(folder, createRequire(folder), isRun ? '-run' : '', setFlags);
  // Node ends silently when a command waits for something that never happens. That must not look like success.
  process.exitCode = 13;
  const { ended } = parts.load('./main.cjs');
  // Later, V8 has dropped what only a start needs.
  setTimeout(parts.keepCompiled, 2000).unref();
  void ended.finally(parts.keepCompiled);
}
