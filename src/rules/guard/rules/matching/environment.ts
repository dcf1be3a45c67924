import type { SimpleCommand } from '../../api.ts';
import { codeOf, INTERPRETERS } from './interpreters.ts';
import { isRehearsal } from './shape.ts';
import { forPrograms } from './tests.ts';

/** What a variable is called that holds a secret. */
const SECRET_NAME =
  'TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH(?!OR)|DATABASE_URL|COOKIE';
/** Not `$TOKEN_FILE`: where a secret lies is none. */
const SECRET_VARIABLE = new RegExp(
  `\\$\\{?!?[A-Za-z0-9_]*(?:${SECRET_NAME})(?!\\w*_(?:FILE|PATH|DIR|NAME|ID|COUNT|LENGTH|TTL|EXPIR\\w*)\\b)`,
  'i',
);
const LENGTH_OR_PRESENCE = /\$\{#\w+\}|\$\{\w+:?[+?][^}]{0,99}\}/g;

/** `echo $GITHUB_TOKEN`, but not its length or whether it is there. The text tells the name, the word only its value. */
export const printsVariable = forPrograms('printenv echo printf cat print', (command) => {
  if (command.name === 'printenv') return command.args.some(({ text }) => new RegExp(SECRET_NAME, 'i').test(text));
  if (command.pipesTo !== null && isConsumer(command.pipesTo)) return false;
  // The arguments of cat are paths; what it prints otherwise is a here-string.
  if (command.name === 'cat' && !command.redirects.some(({ operator }) => operator.startsWith('<<'))) return false;
  const printed = command.source
    .replace(LENGTH_OR_PRESENCE, '')
    .replace(/'[^']*'/g, '')
    .replace(WRITTEN_TO, '');
  return SECRET_VARIABLE.test(printed);
});

/** The file behind a redirection. */
const WRITTEN_TO = /\d*&?>>?\|?\s*("[^"]*"|[^\s"]+)/g;

/** Programs that take a secret on standard input and keep it to themselves. */
function isConsumer(program: string): boolean {
  return /^(docker|podman|wc|sha\d+sum|md5sum|shasum|gh|helm|vault|openssl|test|xargs)$/.test(program);
}

const DUMPERS = 'env printenv export declare typeset readonly set compgen';

/** Everything in the environment, the loop's own token among it. */
export const dumpsEnvironment = forPrograms(DUMPERS, (command, _context, script) => {
  const { name, args } = command;
  const dumps =
    (/^(env|printenv)$/.test(name) && args.every(({ text }) => /^(-0|--null)$/.test(text))) ||
    (/^(export|declare|typeset|readonly)$/.test(name) && args.length === 1 && /^-[px]+$/.test(args[0]?.text ?? '')) ||
    (/^(set|export)$/.test(name) && args.length === 0) ||
    (name === 'compgen' && args[0]?.text === '-e');
  if (!dumps || isRehearsal(command) || command.pipesTo === 'grep' || command.pipesTo === 'wc') return false;
  const reader = script.find(({ input }) => input.kind === 'pipe' && input.from === command);
  return reader === undefined || !keepsNames(reader);
});

/** `cut -d= -f1`, `awk -F= '{print $1}'`, `sed 's/=.*/ /'`: the names of variables, without their values. */;
function keepsNames(command: SimpleCommand): boolean {
  const words = command.args.map((word) => word.text).join(' ');
  if (command.name === 'cut') return /-d\s?=/.test(words) && /-f\s?1$/.test(words.trim());
  if (command.name === 'awk') return /-F\s?=/.test(words) && /\{\s*print \$1\s*\}$/.test(words.trim());
  return command.name === 'sed' && /^s\/=\.\*\/\/g?$/.test(words);
}

/** `env | grep -i token`. */
export const picksFromEnvironment = forPrograms('grep egrep fgrep zgrep rg awk sed', (command, _context, script) => {
  const before = command.input.kind === 'pipe' ? command.input.from : script[script.indexOf(command) - 1];
  if (before === undefined || before.pipesTo !== command.name) return false;
  if (!/^(env|printenv|set|export|declare)$/.test(before.name)) return false;
  return command.args.some(({ text }) => new RegExp(`${SECRET_NAME}|^-v|KEY`, 'i').test(text));
});

/** The whole environment, printed by a program in another language. */
const PRINTED_ENVIRONMENT =
  /(\bconsole\.\w+|\bprint|\bpprint|\bputs|\bp|\bJSON\.stringify|\bdumps|var_dump|print_r|\bwrite)\b\s*\(?[^;]{0,40}(process\.env|os\.environ|\bENV|%ENV)(?![\w.[{])|^\s*(process\.env|ENV)\s*$/;

/** One secret of it: `console.log(process.env.API_KEY)`. Whether it is there, or how long it is, is none. */
const PRINTED_SECRET = new RegExp(
  `(?:console\\.\\w+|\\bprint|\\bputs|\\becho|\\bp|\\bwrite|-p)\\b\\s*\\(?[^;!?]{0,60}(?:process\\.env|environ|getenv|\\bENV|env::var)(?:\\.get)?\\W{1,4}\\w*(?:${SECRET_NAME})\\w*(?!\\w|["'\\])]*\\s*(?:\\.length|\\?|is not|!=|==|in\\b))`,
  'i',
);

/** `node -p process.env`. */
export const dumpsInCode = forPrograms(INTERPRETERS, (command) =>
  codeOf(command).some(
    (code) =>
      PRINTED_ENVIRONMENT.test(code) ||
      PRINTED_SECRET.test(code.replace(/\b(bool|Boolean|len|typeof|type|defined)\b\s*\(?[^;)]*/g, '')),
  ),
);
