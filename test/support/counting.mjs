/**
 * Loaded before a program (`node --import`): what it does with files, and how many of its parts it compiles, as one JSON
 * file when it ends. Only where COUNTS_OF is in the program's own command line, so that its children stay out.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Script } from 'node:vm';

const { COUNTS_FILE: file, COUNTS_OF: program } = process.env;
const { writeFileSync, readFileSync } = fs;

if (file !== undefined && program !== undefined && process.argv[1]?.endsWith(program)) {
  const counts = { opened: 0, renamed: 0, synced: 0, compiled: 0, looked: 0 };
  const count = (owner, name, what, counted = () => true) => {
    const original = owner[name];
    owner[name] = function (...args) {
      if (counted(...args)) counts[what] += 1;
      return original.apply(this, args);
    };
  };
  const writes = (_path, flags) => (typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(flags ?? 'r'));
  for (const owner of [fs, fs.promises]) {
    for (const name of ['open', 'openSync']) if (owner[name]) count(owner, name, 'opened', writes);
    for (const name of ['writeFile', 'writeFileSync', 'appendFile', 'appendFileSync']) {
      // A handle or descriptor was counted when it was opened.
      if (owner[name]) count(owner, name, 'opened', (path) => typeof path === 'string' || path instanceof URL);
    }
    for (const name of ['lstat', 'lstatSync', 'stat', 'statSync']) if (owner[name]) count(owner, name, 'looked');
    for (const name of ['rename', 'renameSync']) if (owner[name]) count(owner, name, 'renamed');
    for (const name of ['fsync', 'fsyncSync', 'fdatasync', 'fdatasyncSync'])
      if (owner[name]) count(owner, name, 'synced');
  }
  const { runInThisContext } = Script.prototype;
  Script.prototype.runInThisContext = function (...args) {
    if (this.cachedDataRejected !== false) counts.compiled += 1;
    return runInThisContext.apply(this, args);
  };
  const handle = await fs.promises.open(process.execPath);
  for (const name of ['sync', 'datasync']) count(Object.getPrototypeOf(handle), name, 'synced');
  await handle.close();
  Object.assign(counts, { opened: 0, looked: 0 });
  syncBuiltinESMExports();
  process.once('exit', () => {
    // Of this process and of every child that it has waited for.
    const io = Object.fromEntries(
      readFileSync('/proc/self/io', 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(': ')),
    );
    writeFileSync(file, JSON.stringify({ ...counts, read: Number(io.rchar), written: Number(io.wchar) }));
  });
}
