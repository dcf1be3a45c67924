import type { GuardContext, GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag, hasWord, operands, optionValues, searchPattern } from '../options.ts';
import { homeRelative, pathOf, placeOf } from '../paths.ts';
import { namesIn } from '../tables.ts';
import {
  dumpsEnvironment,
  dumpsInCode,
  isSecretPath,
  pathsIn,
  picksFromEnvironment,
  printsVariable,
} from './matching/secrets.ts';
import { anyOf, forPrograms, shapes } from './matching/shape.ts';

/** Programs that may name a secret file: they print their words, show only the file's metadata, or only use it. */
const ONLY_NAME_IT: ReadonlySet<string> = new Set(
  namesIn(`echo printf ls stat test [ [[ cd mkdir touch chmod chown rm rmdir git export file ssh ssh-add ssh-keygen
  basename dirname realpath readlink tree du pushd which man kubectl tee unlink shred npm yarn pnpm local declare
  readonly alias set true false :`),
);

const readsSecret: GuardTest = (command, context) => {
  const inputs = command.redirects.filter(({ operator }) => operator === '<' || operator === '<>');
  if (inputs.some(({ target }) => isSecret(pathOf(target, command, context), context))) return true;
  if (ONLY_NAME_IT.has(command.name)) return false;
  if (searchedFor(command)) return false;
  const folders = [command, ...movedTo(command, context)];
  return namedWords(command).some((word) =>
    folders.some((from) => pathsIn(word, from, context).some((path) => isSecret(path, context))),
  );
};

/** `tar -C ~ .ssh`: the words after `-C` are relative to another folder. */
function movedTo(command: SimpleCommand, context: GuardContext): readonly SimpleCommand[] {
  if (!/^(bsd|g)?tar$/.test(command.name)) return [];
  return optionValues(command, 'C', 'directory', 'cd').map((folder) => ({
    ...command,
    cwd: pathOf(folder, command, context),
  }));
}

/** `grep -ri api_key ~`: words by which keys are found, in folders that hold them. */
const searchesHome = forPrograms('grep egrep rg ag ack', (command, context) => {
  if (/^e?grep$/.test(command.name) && !hasFlag(command, 'r', 'R', 'recursive')) return false;
  const pattern = searchPattern(command);
  if (!/token|secret|passw|api.?key|akia|private key|ghp_|sk-/i.test(pattern?.text ?? '')) return false;
  return operands(command).some((word) => {
    const path = word === pattern ? null : pathOf(word, command, context);
    return path !== null && (placeOf(path, context) === 'home-itself' || homeRelative(path, context) === '.config');
  });
});

/** The words of a command that may be files: without a search pattern. */
function namedWords(command: SimpleCommand): SimpleCommand['args'] {
  if (!/^([ezf]?grep|rg|ag|ack)$/.test(command.name)) return command.args;
  const pattern = searchPattern(command);
  return command.args.filter((word) => word !== pattern);
}

/** `find ~ -name id_rsa` prints names; with `-exec` the command after it is judged separately. */
function searchedFor(command: SimpleCommand): boolean {
  return /^(find|fd|fdfind|locate)$/.test(command.name) && !hasWord(command, /^-(exec|ok|delete|fprint|x|X)/);
}

function isSecret(path: string | null, context: GuardContext): boolean {
  return path !== null && isSecretPath(path, context);
}

const METADATA =
  /\b(169\.254\.169\.254|169\.254\.170\.2|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254)\b/;

export const credentials: GuardRules = {
  'credentials/file': {
    reason: 'This reads keys, tokens or other secrets.',
    alternative: 'Work without them: use examples and stand-ins, and report which access the story needs.',
    matches: anyOf(readsSecret, searchesHome),
  },
  'credentials/printed': {
    reason: 'This prints a token or a stored secret.',
    alternative: 'Work without it; report which access the story needs.',
    matches: shapes(
      'gh|glab auth token',
      'gh auth status -t|--show-token',
      'gcloud auth print-*',
      'gcloud auth application-default print-*',
      'gcloud secrets versions access',
      'aws configure get|export-credentials',
      'aws sts get-session-token|assume-role*|get-federation-token',
      'aws secretsmanager get-secret-value|batch-get-secret-value',
      'aws ssm get-parameter* --with-decryption',
      'aws ecr get-login-password',
      'az account get-access-token',
      'az keyvault secret|key show|download',
      'az ad sp create-for-rbac',
      'az storage account keys',
      'security find-*|dump-keychain|export|unlock-keychain',
      'secret-tool lookup|search',
      'kwallet-query|keyring *',
      'pass|gopass show|*/*',
      'op read|item|document|signin|inject',
      'bw|rbw|lpass|keepassxc-cli get|list|show|export|unlock',
      'vault read|print|token',
      'vault kv get',
      'kubectl|oc|k get|describe secret|secrets|secret/*|secrets/*',
      'kubectl|oc config view --raw',
      'oc whoami -t|--show-token',
      'kubectl create token',
      'heroku config|auth:token|config:get',
      'npm token list|create',
      'npm config get *auth*|*_password*|*token*',
      'git credential fill|approve',
      'git-credential-store|git-credential-cache|git-credential-osxkeychain|docker-credential-desktop get',
      'gpg|gpg2 --export-secret-keys|--export-secret-subkeys|--export-ssh-key',
      'doppler|infisical|chamber secrets|export|read',
      'sops -d|--decrypt',
      'sops|ansible-vault decrypt|exec-env|view|edit',
      'vercel env pull',
      'fly|flyctl|doctl auth|tokens token|create',
      'railway variables',
      'firebase|netlify login:ci|env:get|env:list',
      'pulumi config|stack --show-secrets',
      'terraform|tofu state pull',
      'stripe config --list',
    ),
  },
  'credentials/environment': {
    reason: 'This prints the environment, which holds tokens.',
    alternative: 'Ask for the one variable you need: printenv NAME, or test -n "$NAME".',
    matches: anyOf(dumpsEnvironment, picksFromEnvironment, dumpsInCode),
  },
  'credentials/variable': {
    reason: 'This prints a secret that a variable holds.',
    alternative: 'Test that it is there without showing it: test -n "$NAME".',
    matches: printsVariable,
  },
  'credentials/metadata': {
    reason: 'This asks the cloud for the credentials of the machine.',
    alternative: 'Work without them; report which access the story needs.',
    matches: (command) => !/^(echo|printf|grep|rg|git)$/.test(command.name) && hasWord(command, METADATA),
  },
  'credentials/memory': {
    reason: 'This looks into the memory or the calls of running processes, where secrets are.',
    alternative: 'Debug a process that you start yourself under the debugger.',
    matches: shapes(
      'gcore|procdump|mimikatz|lazagne|john|hashcat|hydra|unshadow|keylogger|logkeys|tcpdump|tshark|ettercap|bettercap *',
      'strace|ltrace|gdb|lldb|dlv -p|--pid|--attach|--attach-pid',
      'tcpdump|tshark -i|-w|-A',
      'xinput test',
    ),
  },
};
