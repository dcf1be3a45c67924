import { codeOf } from './interpreters.ts';
import { isRehearsal, type Test } from './shape.ts';

/** What a variable is called that holds a secret. */
const SECRET_NAME =
  'TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH(?!OR)|DATABASE_URL|COOKIE';
const SECRET_VARIABLE = new RegExp(`\\$\\{?!?[A-Za-z0-9_]*(?:${SECRET_NAME})`, 'i');
const LENGTH_OR_PRESENCE = /\$\{#\w+\}|\$\{\w+:?[+?][^}]{0,99}\}/g;

/** `echo $GITHUB_TOKEN`, but not its length or whether it is there. The text tells the name, the word only its value. */
export const printsVariable: Test = (command) => {
  if (command.name === 'printenv') return command.args.some(({ text }) => new RegExp(SECRET_NAME, 'i').test(text));
  if (!/^(echo|printf|cat|print)$/.test(command.name)) return false;
  if (command.pipesTo !== null && isConsumer(command.pipesTo)) return false;
  return SECRET_VARIABLE.test(command.source.replace(LENGTH_OR_PRESENCE, '').replace(/'[^']*'/g, ''));
};

/** Programs that take a secret on standard input and keep it to themselves. */
function isConsumer(program: string): boolean {
  return /^(docker|podman|wc|sha\d+sum|md5sum|shasum|gh|helm|vault|openssl|test|xargs)$/.test(program);
}

/** Everything in the environment, the loop's own token among it. */
export const dumpsEnvironment: Test = (command) => {
  const { name, args } = command;
  const dumps =
    (/^(env|printenv)$/.test(name) && args.every(({ text }) => /^(-0|--null)$/.test(text))) ||
    (/^(export|declare|typeset|readonly)$/.test(name) && args.length === 1 && /^-[px]+$/.test(args[0]?.text ?? '')) ||
    (/^(set|export)$/.test(name) && args.length === 0) ||
    (name === 'compgen' && args[0]?.text === '-e');
  return dumps && !isRehearsal(command) && command.pipesTo !== 'grep' && command.pipesTo !== 'wc';
};

/** `env | grep -i token`. */
export const picksFromEnvironment: Test = (command, _context, script) => {
  if (!/^([ezf]?grep|rg|awk|sed)$/.test(command.name)) return false;
  const before = command.input.kind === 'pipe' ? command.input.from : script[script.indexOf(command) - 1];
  if (before === undefined || before.pipesTo !== command.name) return false;
  if (!/^(env|printenv|set|export|declare)$/.test(before.name)) return false;
  return command.args.some(({ text }) => new RegExp(`${SECRET_NAME}|^-v|KEY`, 'i').test(text));
};

/** The whole environment, printed by a program in another language. */
const PRINTED_ENVIRONMENT =
  /(\bconsole\.\w+|\bprint|\bpprint|\bputs|\bp|\bJSON\.stringify|\bdumps|var_dump|print_r|\bwrite)\b\s*\(?[^;]{0,40}(process\.env|os\.environ|\bENV|%ENV)(?![\w.[{])|^\s*(process\.env|ENV)\s*$/;

/** `node -p process.env`. */
export const dumpsInCode: Test = (command) => codeOf(command).some((code) => PRINTED_ENVIRONMENT.test(code));
