import type { Output } from './clean.ts';

/** Lines that say why tests could not run. They decide nothing on their own: passing tests print them too. */
const TROUBLE: readonly RegExp[] = [
  /^(?:.*: )?(?:line )?\d*:? ?[\w./@-]+: (?:command )?not found$/,
  /^(?:ba|z|da|k)?sh: .*: (?:not found|No such file or directory|Permission denied)$/,
  /^.*\bcd: .*: (?:No such file or directory|Not a directory)$/,
  /No module named ['"]?[\w.-]+/,
  /^(?:npm (?:error|ERR!)|error|ERR_PNPM\w*).*[Mm]issing script:? /,
  /^npm (?:error|ERR!) (?:code (?:ENOENT|EACCES)|enoent)/,
  /^error Command ["'].*["'] not found\.$/,
  /^(?:\S*make(?:\[\d+\])?: )\*\*\* No rule to make target/,
  /^(?:Uncaught )?(?:Syntax|Reference|Module\w*|Import)Error\b/,
  /^\s*(?:Error: )?Cannot find (?:module|package) ['"]/,
  /\berror TS\d{4}: /,
  /^error(?:\[E\d{4}\])?: /,
  /^\S+:\d+(?::\d+)?: (?:fatal )?error: /,
  /^.*(?:Could not find or load main class|ClassNotFoundException|UnsupportedClassVersionError)/,
  /^(?:LoadError|.*cannot load such file) -- /,
  /^(?:PHP )?(?:Fatal|Parse) error: /,
  /^Can't locate \S+ in @INC/,
  /^(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction)\b/,
  /JavaScript heap out of memory/,
  /^Cannot connect to the Docker daemon/,
];

/** `npm init` writes this script; it runs no tests and says so. */
const NO_SCRIPT = /^(?:Error: )?no test specified$/i;

/** The line that says why tests did not run; null when there is none. */
export function troubleIn({ lines }: Output): string | null {
  return lines.find((line) => TROUBLE.some((pattern) => pattern.test(line)))?.trim() ?? null;
}

/** The line with which a project says that it has no tests; null when there is none. */
export function noTestScript({ lines }: Output): string | null {
  return lines.find((line) => NO_SCRIPT.test(line.trim()))?.trim() ?? null;
}
