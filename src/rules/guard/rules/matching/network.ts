import type { SimpleCommand, Word } from '../../api.ts';
import { hasFlag, operands, optionValue, optionValues } from '../../flags.ts';
import { isLocalHost } from './places.ts';
import { isRehearsal } from './shape.ts';

const FETCHERS =
  /^(curl|wget|wget2|fetch|aria2c|axel|http|https|xh|lynx|links|w3m|elinks|lwp-request|lwp-download|GET|ftp|tftp|gsutil|scp|sftp|rclone|Invoke-WebRequest|iwr|irm|curlie)$/;

/** Other programs whose output comes from the network, or from somebody at its other end. */
const SPEAKERS = /^(nc|ncat|netcat|socat|telnet|ssh|dig|host|nslookup|openssl|ipfs|hg|aws|gcloud)$/;

/** Whether a command fetches something from another machine. */
function fetches(command: SimpleCommand): boolean {
  return FETCHERS.test(command.name);
}

/** Whether what a command prints was written on another machine. */
export function printsRemoteText(command: SimpleCommand): boolean {
  if (command.name === 'openssl') return command.args[0]?.text === 's_client';
  if (command.name === 'gh' || command.name === 'glab') return /^(api|gist)$/.test(command.args[0]?.text ?? '');
  return fetches(command) || SPEAKERS.test(command.name);
}

/** The files that a fetching command saves to, by their last name; of a URL when none is given. */
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

/** Whether a command talks to this machine only, as far as the hosts in its words tell. */
function staysLocal(command: SimpleCommand): boolean {
  const words = operands(command).map((word) => word.text);
  return (
    words.length > 0 &&
    words.some(isLocalHost) &&
    !words.some((text) => /^[a-z+]+:\/\//i.test(text) && !isLocalHost(text))
  );
}

/** Options of HTTP clients whose value is sent. */
const BODY_OPTIONS: readonly string[] =
  'd data data-binary data-raw data-urlencode data-ascii json F form T upload-file'.split(' ');

/** Whether a command hands what it reads to another machine. */
export function sends(command: SimpleCommand): boolean {
  const sending = ALWAYS_SEND.has(command.name) || SEND_BY_WORDS.get(command.name)?.(command) === true;
  return sending && !staysLocal(command) && !isRehearsal(command);
}

type Check = (command: SimpleCommand) => boolean;

const copiesOut: Check = (command) => isRemotePath(operands(command).at(-1)?.text ?? '');

/** `aws s3 cp`, `rclone copy`, `gsutil cp`, `s3cmd put`. */
const copiesObjects: Check = (command) => {
  const words = operands(command).map((word) => word.text);
  return words.some((text) => /^(cp|mv|sync|copy|copyto|move|moveto|rsync|put)$/.test(text)) && copiesOut(command);
};

/** `host:path`, `user@host:`, `s3://bucket`, but no drive letter and no path with a colon in it. */
function isRemotePath(text: string): boolean {
  return /^(\w[\w+.-]*:\/\/|([\w.-]+@)?[\w.-]{2,}:|[\w.-]+@[\w.-]+:)/.test(text) && !/^(file:|\.?\/)/.test(text);
}

const ALWAYS_SEND: ReadonlySet<string> = new Set(
  'curl curlie wget http https xh nc ncat netcat socat telnet ssh ftp lftp sftp tftp ncftpput dig nslookup host ping mail mailx mutt sendmail msmtp swaks croc wormhole transfer ffsend pastebinit termbin'.split(
    ' ',
  ),
);

/** Programs that send only with some of their words. */
const SEND_BY_WORDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['scp', copiesOut],
  ['rsync', copiesOut],
  ['rclone', copiesObjects],
  ['gsutil', copiesObjects],
  ['aws', copiesObjects],
  ['s3cmd', copiesObjects],
  ['azcopy', copiesObjects],
  ['gh', (command) => /^(gist|release)$/.test(command.args[0]?.text ?? '')],
  ['openssl', (command) => command.args[0]?.text === 's_client'],
]);

/** The programs that `sends` can be true for. */
export const SENDERS: readonly string[] = [...ALWAYS_SEND, ...SEND_BY_WORDS.keys()];

/** Files that a command uploads as they are: `curl -T FILE`, `-F x=@FILE`, `-d @FILE`, `wget --post-file=FILE`. */
export function uploads(command: SimpleCommand): boolean {
  if (!sends(command)) return false;
  if (hasFlag(command, 'T', 'upload-file') && /^curl/.test(command.name)) return true;
  if (optionValue(command, 'post-file', 'body-file') !== null) return true;
  if (/^(l?ftp|sftp|tftp)$/.test(command.name) && command.input.kind === 'text')
    return /(^|[\n;])\s*m?put\b/.test(command.input.text);
  return optionValues(command, 'F', 'form').some(({ text }) => /=[@<]/.test(text));
}

/** What a request carries, as it is written: `@file`, `@-` or the text itself. */
export function bodiesOf(command: SimpleCommand): readonly Word[] {
  return optionValues(command, ...BODY_OPTIONS);
}

/** Whether a command sends what it reads on standard input: `nc HOST PORT`, `curl -d @-`, `ssh HOST 'cat > x'`. */
export function sendsInput(command: SimpleCommand): boolean {
  if (!sends(command)) return false;
  if (!/^(curl|curlie|wget|http|https|xh)$/.test(command.name)) return true;
  const readsInput = bodiesOf(command).some(({ text }) => /^-$|@-$|@\/dev\/stdin$/.test(text));
  return readsInput || /^(https?|xh)$/.test(command.name);
}

/** An HTTP client told to delete something on another machine. */
export function deletesOverHttp(command: SimpleCommand): boolean {
  if (!/^(curl|wget|http|https|xh|xhs)$/.test(command.name)) return false;
  const texts = command.args.map((word) => word.text);
  const deletes = texts.some(
    (text, at) =>
      /^(-X|--request[= ]?|--method[= ]?)delete$/i.test(text) ||
      (/^(-X|--request|--method)$/.test(text) && /^delete$/i.test(texts[at + 1] ?? '')) ||
      (command.name !== 'curl' && command.name !== 'wget' && text === 'DELETE'),
  );
  return deletes && operands(command).some(({ text }) => /^https?:|\w\.\w/.test(text) && !isLocalHost(text));
}
