import type { Output } from './clean.ts';

/** Lines that say why tests could not run. They decide nothing on their own: passing tests print them too. */
const TROUBLE: readonly RegExp[] = [
  /^(?:.*: )?(?:line )?\d*:? ?[\w./@-]+: (?:command )?not found$/,
  /^(?:ba|z|da|k)?sh: .*: (?:not found|No such file or directory|Permission denied)$/,
  /^.*\bcd: .*: (?:No such file or directory|Not a directory)$/,
  /No module named ['"]?[\w.-]+/,
  /^(?:npm (?:error|ERR!)|error|ERR_PNPM\w*).*[Mm]issing script:? /,
  /^npm (?:error|ERR!) (?:code (?:ENOENT|EACCES)|enoent)/,
  /^npm (?:error|ERR!) (?:No workspaces found|could not determine executable|404 )/,
  /\bERR_PNPM_(?:NO_|RECURSIVE_RUN_NO_|WORKSPACE_)/,
  /^lerna ERR! (?:EFILTER|ENOLERNA|ENOPKG|ENOWORKSPACES) /,
  /^error Command ["'].*["'] not found\./,
  /^(?:error Couldn't find |Usage Error: |Internal Error: |error Unknown workspace )/,
  /^\s*NX\s+(?:Cannot find|Could not find) /,
  /^\s*(?:x|×) (?:Could not find|Missing) (?:task|tasks|package|turbo\.json)\b/,
  /^(?:Could not locate Gemfile|Could not find .* in (?:any of the sources|locally installed gems)|bundler: )/,
  /^Don't know how to build task /,
  /^Task '.*' not found in (?:root )?project /,
  /^(?:\[ERROR\] .*there is no POM in this directory|\[ERROR\] Could not find the selected project)/,
  /^\S*python[\d.]*: can't open file /,
  /^(?:Could not open input file: |Can't open perl script |\S*ruby: No such file or directory -- )/,
  /^Poetry could not find a pyproject\.toml file/,
  /^\S*make(?:\[\d+\])?: \*\*\* (?:No rule to make target|No targets|.*: No such file or directory\.)/,
  /^(?:Uncaught )?(?:Syntax|Reference|Module\w*|Import)Error\b/,
  /^\s*(?:Error: )?Cannot find (?:module|package) ['"]/,
  /^\s*code: '(?:ERR_)?MODULE_NOT_FOUND',?$/,
  /^\s*(?:Preset|Test environment|Reporter) \S+ (?:was )?(?:not|cannot be) found/,
  // A runner's own frames, outside of any test.
  /^\s+at .*\/(?:jest-cli\/build\/run|mocha\/lib\/cli\/|@cucumber\/cucumber\/lib\/api\/|playwright\/lib\/cli\/)/,
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

/** How a shell, or what starts programs for it, says that it could not get there. */
const REFUSED: readonly RegExp[] = [
  /^(?:\S.*[: ])?(?:cd|pushd|chdir):(?:\d+:)? .*(?:no such file or directory|not a directory|permission denied|can't cd to|does not exist|too many arguments)/i,
  /^(?:\S+: )?(?:line )?\d*:? ?[\w./@-]+: (?:command )?not found$|^zsh:(?:\d+:)? command not found: /,
  /^(?:env|timeout|nice|nohup|stdbuf|xargs|setsid): .*(?:No such file or directory|Permission denied)$/,
];

/** `npm init` writes this script; it runs no tests and says so. */
const NO_SCRIPT = /^(?:Error: )?no test specified$/i;

/** The line that says why tests did not run; null when there is none. */
export function troubleIn({ lines }: Output): string | null {
  return lines.find((line) => TROUBLE.some((pattern) => pattern.test(line)))?.trim() ?? null;
}

/** The shell's own words, when there are no others: nothing ran. Null when anything else was printed. */
export function nothingRan({ lines }: Output): string | null {
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.every((line) => REFUSED.some((pattern) => pattern.test(line))) ? (filled[0] ?? null) : null;
}

/** The line with which a project says that it has no tests; null when there is none. */
export function noTestScript({ lines }: Output): string | null {
  return lines.find((line) => NO_SCRIPT.test(line.trim()))?.trim() ?? null;
}
