import type { SimpleCommand, Word } from '../../api.ts';
import { hasFlag, operands, optionValue, optionValues, textsOf } from '../../options.ts';
import { SHELLS as TEXT_SHELLS } from '../../shell/carriers/nested.ts';
import { namesIn, table } from '../../tables.ts';
import { familyOf, isRehearsal } from './shape.ts';

const FETCHERS =
  /^(curl|wget|wget2|fetch|aria2c|axel|http|https|xh|lynx|links|w3m|elinks|lwp-request|lwp-download|GET|ftp|tftp|gsutil|scp|sftp|rclone|Invoke-WebRequest|iwr|irm|curlie)$/;

/** Other programs whose output comes from the network, or from its other end. */
const SPEAKERS = /^(nc|ncat|netcat|socat|telnet|ssh|dig|host|nslookup|openssl|ipfs|hg|aws|gcloud)$/;

function fetches(command: SimpleCommand): boolean {
  return FETCHERS.test(command.name);
}

/** Whether what a command prints was written on another machine. */
export function printsRemoteText(command: SimpleCommand): boolean {
  if (command.name === 'openssl') return command.args[0]?.text === 's_client';
  if (command.name === 'gh' || command.name === 'glab') return /^(api|gist)$/.test(command.args[0]?.text ?? '');
  return fetches(command) || SPEAKERS.test(command.name);
}

/** The files that a fetching command saves to, by their last name; the URL's last name when no file is given. */
export function savedNames(command: SimpleCommand): readonly string[] {
  if (!fetches(command)) return [];
  const redirected = command.redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target);
  const named = [...redirected, ...optionValues(command, 'o', 'output', 'O', 'output-document', 'out', 'OutFile')];
  const remote = operands(command).filter(({ text }) => /\w[./]\w/.test(text));
  const last = /^(scp|sftp|gsutil|rclone|lwp-download)$/.test(command.name) ? operands(command).slice(-1) : [];
  return [...named, ...last, ...remote].map(({ text }) => lastName(text)).filter((name) => name !== '' && name !== '-');
}

/** `b` of `a/b`, `a/b/` and `https://host/a/b?x`. */
export function lastName(path: string): string {
  return (
    path
      .replace(/[?#].*$/, '')
      .replace(/\/+$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}

/** Whether a command only contacts this machine, as far as the hosts in its words show. */
function staysLocal(command: SimpleCommand): boolean {
  const words = textsOf(operands(command));
  return (
    words.length > 0 &&
    words.some(isLocalHost) &&
    !words.some((text) => /^[a-z+]+:\/\//i.test(text) && !isLocalHost(text))
  );
}

/** Options of HTTP clients whose value is sent. */
const BODY_OPTIONS: readonly string[] = namesIn(
  'd data data-binary data-raw data-urlencode data-ascii json F form T upload-file',
);

/** Whether a command sends what it reads to another machine. */
export function sends(command: SimpleCommand): boolean {
  const sending = ALWAYS_SEND.has(command.name) || SEND_BY_WORDS.get(command.name)?.(command) === true;
  return sending && !staysLocal(command) && !isRehearsal(command);
}

type Check = (command: SimpleCommand) => boolean;

const copiesOut: Check = (command) => isRemotePath(operands(command).at(-1)?.text ?? '');

/** `aws s3 cp`, `rclone copy`, `gsutil cp`, `s3cmd put`. */
const copiesObjects: Check = (command) => {
  const words = textsOf(operands(command));
  return words.some((text) => /^(cp|mv|sync|copy|copyto|move|moveto|rsync|put)$/.test(text)) && copiesOut(command);
};

/** `host:path`, `user@host:`, `s3://bucket`, but not a drive letter or a path with a colon in it. */
function isRemotePath(text: string): boolean {
  return /^(\w[\w+.-]*:\/\/|([\w.-]+@)?[\w.-]{2,}:|[\w.-]+@[\w.-]+:)/.test(text) && !/^(file:|\.?\/)/.test(text);
}

const ALWAYS_SEND: ReadonlySet<string> = new Set(
  namesIn(`curl curlie wget http https xh nc ncat netcat socat telnet ssh ftp lftp sftp tftp ncftpput dig nslookup host
  ping mail mailx mutt sendmail msmtp swaks croc wormhole magic-wormhole transfer ffsend pastebinit termbin`),
);

/** Programs that send only with some of their words. */
const SEND_BY_WORDS = table<Check>([
  ['scp rsync', copiesOut],
  ['rclone gsutil aws s3cmd azcopy', copiesObjects],
  ['gh', (command) => /^(gist|release)$/.test(command.args[0]?.text ?? '')],
  ['openssl', (command) => command.args[0]?.text === 's_client'],
]);

/** The programs that `sends` can be true for. */
export const SENDERS: readonly string[] = [...ALWAYS_SEND, ...SEND_BY_WORDS.keys()];

/** Files that a command uploads unchanged: `curl -T FILE`, `-F x=@FILE`, `-d @FILE`, `wget --post-file=FILE`. */
export function uploads(command: SimpleCommand): boolean {
  if (!sends(command)) return false;
  if (hasFlag(command, 'T', 'upload-file') && /^curl/.test(command.name)) return true;
  if (optionValue(command, 'post-file', 'body-file') !== null) return true;
  if (command.input.kind === 'file' && /^(nc|ncat|netcat|socat|telnet)$/.test(command.name)) return true;
  if (/^(l?ftp|sftp|tftp)$/.test(command.name)) return /(^|[\n;])\s*m?put\b/.test(standardInputText(command));
  return optionValues(command, 'F', 'form').some(({ text }) => /=[@<]/.test(text));
}

/** The bodies of a request as written: `@file`, `@-` or the text itself. */
export function bodiesOf(command: SimpleCommand): readonly Word[] {
  return optionValues(command, ...BODY_OPTIONS);
}

/** Whether a command sends its standard input: `nc HOST PORT`, `curl -d @-`, `ssh HOST 'cat > x'`. */
export function sendsInput(command: SimpleCommand): boolean {
  if (!sends(command)) return false;
  if (!/^(curl|curlie|wget|http|https|xh)$/.test(command.name)) return true;
  const readsInput = bodiesOf(command).some(({ text }) => /^-$|@-$|@\/dev\/stdin$/.test(text));
  return readsInput || /^(https?|xh)$/.test(command.name);
}

export function deletesOverHttp(command: SimpleCommand): boolean {
  if (!/^(curl|wget|http|https|xh|xhs)$/.test(command.name)) return false;
  const texts = textsOf(command.args);
  const deletes = texts.some(
    (text, at) =>
      /^(-X|--request[= ]?|--method[= ]?)delete$/i.test(text) ||
      (/^(-X|--request|--method)$/.test(text) && /^delete$/i.test(texts[at + 1] ?? '')) ||
      (command.name !== 'curl' && command.name !== 'wget' && /^delete$/i.test(text)),
  );
  return deletes && operands(command).some(({ text }) => /^https?:|\w\.\w/.test(text) && !isLocalHost(text));
}

/** Whether a host name, an address or a whole URL means this machine. */
export function isLocalHost(text: string): boolean {
  return /^([a-z+]+:\/\/)?([^@/]*@)?(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|::1|[\w.-]+\.localhost|host\.docker\.internal)(?=[:/?#]|$)/i.test(
    text,
  );
}

/** The commands before this one in its pipeline, nearest first. */
export function feeders(command: SimpleCommand): readonly SimpleCommand[] {
  const found: SimpleCommand[] = [];
  let { input } = command;
  while (input.kind === 'pipe') {
    found.push(input.from);
    input = input.from.input;
  }
  return found;
}

/** The file name of a process substitution among the words: `bash <(curl …)`. */
const PROCESS_FILE = /^\/dev\/fd\/\d+$/;

/**
 * The commands whose output is part of this command's words, or a file among them: `sh -c "$(curl …)"`, `sh <(curl …)`,
 * and the commands that feed them.
 */
export function sourcesOfWords(command: SimpleCommand, script: readonly SimpleCommand[]): readonly SimpleCommand[] {
  const words = [command.word, ...command.args];
  const origins = words.flatMap((word) => word.from ?? []);
  const readsProcess = words.some((word) => PROCESS_FILE.test(word.text));
  const processes = readsProcess ? script.filter(({ via }) => via.includes('<()')) : [];
  return [...origins, ...processes].flatMap((origin) => [origin, ...feeders(origin)]);
}

export const SHELLS: readonly string[] = [...TEXT_SHELLS, ...namesIn('busybox pwsh powershell')];

/** Interpreters of other languages, without the version that may end their names. */
export const LANGUAGES: readonly string[] =
  namesIn(`python pypy perl ruby php node nodejs bun deno ts-node tsx lua luajit tclsh osascript Rscript R psysh irb groovy
  julia elixir guile`);

/** Programs that run code which can start other programs. */
export const INTERPRETERS: readonly string[] = [...SHELLS, ...LANGUAGES];

const KNOWN: ReadonlySet<string> = new Set(INTERPRETERS);

/** Options by which an interpreter takes its program from a word or from another source than standard input. */
const OTHER_PROGRAM = ['c', 'e', 'E', 'r', 'm', 'p', 'n', 'eval', 'print', 'command', 'run'];

/** Whether a program runs code which can start other programs. */
export function isInterpreter(command: SimpleCommand): boolean {
  return KNOWN.has(command.name) || KNOWN.has(familyOf(command.name));
}

/** Whether an interpreter reads its program from standard input: no script is named, or it is `-`. */
export function readsProgram(command: SimpleCommand): boolean {
  if (/^(source|\.)$/.test(command.name)) return isStandardInput(command.args[0]?.text);
  if (/^(iex|Invoke-Expression)$/.test(command.name)) return command.args.length === 0;
  if (command.name === 'deno' || command.name === 'bun') return command.args.some(({ text }) => text === '-');
  if (!isInterpreter(command)) return false;
  if (SHELLS.includes(command.name))
    return hasFlag(command, 's') || (!hasFlag(command, 'c') && startsWithInput(command));
  return !hasFlag(command, ...OTHER_PROGRAM) && startsWithInput(command);
}

function startsWithInput(command: SimpleCommand): boolean {
  const [script] = operands(command);
  return script === undefined || isStandardInput(script.text);
}

function isStandardInput(text: string | undefined): boolean {
  return text === '-' || text === '/dev/stdin' || text === '/dev/fd/0' || text === '/proc/self/fd/0';
}

/** The text that a command reads on standard input; empty when the script does not show it. */
export function standardInputText({ input }: SimpleCommand): string {
  return input.kind === 'text' ? input.text : '';
}

/** The code that an interpreter gets as words or as constant text on standard input. */
export function codeOf(command: SimpleCommand): readonly string[] {
  if (!isInterpreter(command)) return [];
  return [...textsOf(command.args), standardInputText(command)];
}

export function pathsInCode(code: string): readonly string[] {
  return [...code.matchAll(/["'`]((?:~|\.{0,2}\/|\.)?[\w./~-]+)["'`]/g)].flatMap((match) => match[1] ?? []);
}
