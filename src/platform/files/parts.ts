import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';

interface Part {
  readonly script: Script;
  /** Null once its compiled form is there: a program must not hold it as long as it runs. */
  text: Buffer | null;
  /** The path of V8's compiled form of it. */
  readonly compiled: string;
  readonly owner: number;
  readonly exports: object;
}

/** The others who can read the folder must not be able to change what we run. */
const COMPILED_MODE = 0o644;
const WRITABLE_BY_OTHERS = 0o022;

/** This module as the build names it: Node itself loads it. */
const OWN = './parts.cjs';

/** `import()` of what only this call knows. In a part, which is made of a script, Node calls that an experiment. */
export const importModule = (url: string): Promise<object> => import(url);

/**
 * The parts of a program that starts often: CommonJS files in a folder, named by their content, each with V8's compiled
 * form of it beside it where an earlier process left one. Beside it, because a process that can write there can change the
 * part itself: no other place is as safe. Everything works without the compiled forms, only slower.
 * @param flags - ends the names of the compiled forms, which are good for the flags of V8 only
 * @param setFlags - sets these, each time: when a thread starts, V8 changes some
 */
export function openParts(folder: string, require: NodeJS.Require, flags = '', setFlags = () => {}) {
  const parts = new Map<string, Part>();

  /** What a part, or a module of Node, exports. @throws when the part is missing */
  function load(name: string): object {
    if (!name.startsWith('./') || name === OWN) return require(name);
    return (parts.get(name) ?? loadPart(name)).exports;
  }

  function loadPart(name: string): Part {
    const path = join(folder, name);
    const { text, owner } = textOf(path);
    // V8 refuses another version's form and that of other flags, not another processor's.
    const compiled = `${path}.${process.version}-${process.arch}${flags}`;
    const cachedData = compiledForm(compiled, owner, text) ?? undefined;
    const { Script } = require('node:vm') as typeof import('node:vm');
    setFlags();
    const script = new Script(`(function (exports, require, __filename, __dirname) {${text.toString()}\n})`, {
      filename: path,
      ...(cachedData && { cachedData }),
    });
    const isCompiled = cachedData !== undefined && !script.cachedDataRejected;
    const part = { script, text: isCompiled ? null : text, owner, compiled, exports: {} };
    parts.set(name, part);
    script.runInThisContext()(part.exports, load, path, folder);
    return part;
  }

  /** Leaves the compiled form of what had none for the next process. Never throws: not every folder can be written. */
  function keepCompiled(): void {
    const user = process.getuid?.() ?? 0;
    setFlags();
    for (const part of parts.values()) {
      const { script, text, compiled, owner } = part;
      if (text !== null && (user === owner || user === 0)) leave(compiled, text, script.createCachedData());
      part.text = null;
    }
  }

  return { load, keepCompiled };
}

/** @throws the file system's error. The program then ends with a failure: it is incomplete, and its caller must know. */
function textOf(path: string) {
  try {
    return { text: readFileSync(path), owner: statSync(path).uid };
  } catch (error) {
    process.exitCode = 1;
    writeSync(2, `ralph is not installed completely, install it again: ${path} cannot be read\n`);
    throw error;
  }
}

/**
 * Only what the owner of the part, or root, wrote, and of this very text: V8 compares no more than its length. V8 does not
 * check the form either, and dies of a wrong one, so that it is there twice: to compare takes less than a checksum, which
 * comes with a module of Node that takes milliseconds to load.
 */
function compiledForm(path: string, owner: number, text: Buffer): Buffer | null {
  try {
    const fd = openSync(path, 'r');
    try {
      const { uid, mode } = fstatSync(fd);
      if ((uid !== owner && uid !== 0) || (mode & WRITABLE_BY_OTHERS) !== 0) return null;
      const bytes = readFileSync(fd);
      const middle = (bytes.length + text.length) / 2;
      const form = bytes.subarray(text.length, middle);
      return text.equals(bytes.subarray(0, text.length)) && form.equals(bytes.subarray(middle)) ? form : null;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

function leave(path: string, text: Buffer, form: Buffer): void {
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, Buffer.concat([text, form, form]), { mode: COMPILED_MODE, flag: 'wx' });
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}
