import { randomBytes } from 'node:crypto';
import { basename, isAbsolute, join } from 'node:path';
import { UnavailableError } from '../../../contracts/index.ts';
import { isWithin, list, makeDir, makeTempDir, readText, remove, writeAtomic } from '../../../platform/index.ts';
import type { Claim, Env, Isolation, IsolationInput, Probe } from '../port.ts';
import { MAKE_ANEW, NOT_INSTALLED, type RunSbx, type SbxClient, sbxClient, sbxRunner } from './client.ts';
import { findSandbox, permitHosts, refuseOpenPolicy, sbxName } from './manage.ts';

const OLDER = 'the `docker sandbox` of Docker Desktop, which is here, was replaced by it and is not used';

/** Marks of commands in a run, and of those outside one (a user's shell). */
const OF_A_RUN = 'run.';
const BY_ITSELF = 'one.';

/**
 * Docker Sandboxes: every command runs in the virtual machine that `ralph sandbox create` made for this project, which
 * sees only the work tree of this machine, at its own path. It persists: what agents install stays there.
 *
 * The whole work tree is writable in it, including git dir and protected files: the loop restores those.
 */
export function openSbx(
  input: IsolationInput,
  run: RunSbx = sbxRunner(input.env),
  docker: RunSbx = sbxRunner(input.env, 'docker'),
): Isolation {
  const { root } = input.workspace;
  const client = sbxClient(run);
  const folder = `${root}/.ralph/state/inside`;
  let prefix = BY_ITSELF;

  return {
    name: 'sbx',
    coversGitDir: false,
    lent: [],
    reach: 'spool',
    probe: () => probe(client, input, folder, docker),
    async prepare() {
      const { name } = await findSandbox(client, root);
      await refuseOpenPolicy(client, name);
      await permitHosts(client, name, input.policy.hosts);
      // Processes left by a killed run would keep writing into the work tree.
      await endInside(client, name, OF_A_RUN);
      prefix = OF_A_RUN;
    },
    async wrap(command) {
      const name = sbxName(root);
      const mark = `${prefix}${randomBytes(8).toString('hex')}`;
      const status = `${folder}/exit-${mark}`;
      const globals = await client.globals();
      await makeDir(folder);
      const inside = Object.entries({ ...passedInside(command.env, root), [MARK]: mark });
      const exec = [
        ...['sbx', ...globals, 'exec', '-i', '-w', command.cwd],
        ...inside.flatMap(([variable, value]) => ['-e', `${variable}=${value}`]),
        ...[name, 'bash', '-c', INSIDE_SCRIPT, status, programInside(command.file, root), ...command.args],
      ];
      // sbx itself runs with the user's environment.
      const { RALPH_RUN_ID } = command.env;
      const env = { ...defined(input.env), ...(RALPH_RUN_ID === undefined ? {} : { RALPH_RUN_ID }) };
      return {
        ...{ file: 'sh', args: ['-c', HOST_SCRIPT, 'sbx', status, ...exec], cwd: command.cwd, env },
        async end() {
          await endInside(client, name, mark).catch(() => {});
          await remove(status).catch(() => {});
        },
      };
    },
    dispose: async () => {},
  };
}

async function probe(
  client: SbxClient,
  { workspace, policy }: IsolationInput,
  folder: string,
  docker: RunSbx,
): Promise<Probe> {
  try {
    const version = await client.version();
    await client.diagnose();
    const { name } = await findSandbox(client, workspace.root);
    await refuseOpenPolicy(client, name);
    await makeDir(folder);
    const claims = await tryClaims(client, name, folder, policy.hosts);
    if ((await list(folder)).length === 0) await remove(folder);
    const available = claims.every(({ held }) => held);
    const detail = `Docker Sandboxes, sbx ${version}, sandbox ${name}, ${policy.hosts.length} hosts`;
    return { available, detail, fix: available ? [] : [MAKE_ANEW], claims };
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const { what, why, fix = [] } = error.facts;
    const older = error.facts === NOT_INSTALLED && (await legacyIsThere(docker)) ? OLDER : undefined;
    const reason = older ?? why;
    return { available: false, detail: reason ? `${what} (${reason})` : what, fix, claims: [] };
  }
}

/** Marks every process of one wrapped command, so that those left running can be found. */
const MARK = 'RALPH_INSIDE';

/**
 * Runs on the host. sbx's exit code is unreliable (1 also means "no such sandbox"), so the command's own is passed in a
 * file in the work tree. A signal to the agent reaches sbx too; this shell outlives it to report how it ended.
 */
const HOST_SCRIPT = `status=$1; shift
trap : HUP INT TERM
"$@"
code=$?
if [ -s "$status" ]; then read -r code <"$status"; elif [ "$code" = 0 ]; then code=125; fi
rm -f "$status"
case $code in '' | *[!0-9]*) code=125 ;; esac
exit "$code"`;

/** Runs inside. A signal is reported as 128 + its number. */
const INSIDE_SCRIPT = `"$@"; echo "$?" >"$0"`;

/** Programs of this machine are not available there; those of the same name are used. */
function programInside(file: string, root: string): string {
  return isAbsolute(file) && !isWithin(file, root) ? basename(file) : file;
}

function defined(env: Env): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Variables that describe this machine and the user's session on it; the virtual machine has its own. */
const HOST_ONLY: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'OLDPWD', 'HOSTNAME', 'TMPDIR'],
  // The virtual machine's own proxy is its only way out.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'FTP_PROXY'],
  // No server listens at this address in there.
  ...['RALPH_CONTROL_URL', 'RALPH_CONTROL_TOKEN'],
]);

const CREDENTIAL = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|CUSTOM_HEADERS)$/i;
const CREDENTIAL_IN_ADDRESS = /:\/\/[^\s/@]*:[^\s/@]*@/;

/**
 * The variables that go into the virtual machine, on a command line that every user of this machine can read. So no
 * credential is among them: sbx's own proxy adds those to the requests (`sbx secret set`). A path of this machine
 * outside the work tree means nothing there.
 */
function passedInside(env: Readonly<Record<string, string>>, root: string): Readonly<Record<string, string>> {
  const passed = Object.entries(env).filter(([name, value]) => {
    // Numbered and counted: git refuses to start when one is missing.
    if (name.startsWith('GIT_CONFIG_')) return true;
    if (HOST_ONLY.has(name.toUpperCase()) || CREDENTIAL.test(name) || CREDENTIAL_IN_ADDRESS.test(value)) return false;
    return !isAbsolute(value) || isWithin(value, root);
  });
  return { ...Object.fromEntries(passed), IS_SANDBOX: '1' };
}

const SWEEP_PATIENCE_MS = 20_000;

/** $0 is the prefix of the mark. KILL for processes that ignore TERM for two seconds; twice, to catch new ones. */
const SWEEP = `marked() { grep -lzs "^${MARK}=$1" /proc/[0-9]*/environ | tr -dc '0-9\\n'; }
for signal in TERM KILL KILL; do
  for pid in $(marked "$0"); do kill -s "$signal" "$pid" 2>/dev/null; done
  for look in 1 2 3 4 5 6 7 8 9 10; do
    [ -z "$(marked "$0")" ] && exit 0
    sleep 0.2
  done
done`;

/** Ends every process inside whose mark has this prefix: `sbx exec` passes no signals on. @throws UnavailableError */
async function endInside(client: SbxClient, sandbox: string, mark: string): Promise<void> {
  await client.script(sandbox, SWEEP, [mark], SWEEP_PATIENCE_MS);
}

/** Hosts that answer on any open network; at least one of them is not on the allow-list. */
const ELSEWHERE = ['example.com', 'example.org', 'example.net'];

/** $0: folder in the work tree, $1: folder outside, $2: host not on the list. Every line of output is `name=value`. */
const CANARY = `echo "work=$(cat "$0/question" 2>/dev/null)"
echo done >"$0/answer"
mkdir -p "$1" 2>/dev/null; echo changed >"$1/written" 2>/dev/null
echo "secret=$(cat "$1/secret" 2>/dev/null)"
echo "kernel=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)"
if command -v curl >/dev/null; then
  if curl -fsS -m 10 -o /dev/null "https://$2/" 2>/dev/null; then echo reached=yes; else echo reached=no; fi
elif (exec 3<>"/dev/tcp/$2/443") 2>/dev/null; then echo reached=yes; else echo reached=no; fi`;

/**
 * Tests in the sandbox what it promises. Leaves nothing behind.
 * @param folder an existing folder in the work tree
 * @param hosts what may be reached
 * @throws UnavailableError when nothing runs in it
 */
async function tryClaims(
  client: SbxClient,
  sandbox: string,
  folder: string,
  hosts: readonly string[],
): Promise<readonly Claim[]> {
  const outside = await makeTempDir('ralph-sbx-');
  const inside = join(folder, `canary-${randomBytes(6).toString('hex')}`);
  const elsewhere = ELSEWHERE.find((host) => !hosts.some((one) => one.includes(host))) ?? '';
  const secret = randomBytes(16).toString('hex');
  try {
    await writeAtomic(`${outside}/secret`, secret, { fsync: false });
    await writeAtomic(`${inside}/question`, secret, { fsync: false });
    const { stdout } = await client.script(sandbox, CANARY, [inside, outside, elsewhere]);
    const said = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
    const answered = (await readText(`${inside}/answer`)) === 'done\n';
    const written = (await readText(`${outside}/written`)) !== null;
    const kernel = await readText('/proc/sys/kernel/random/boot_id');
    const works = said('work') === secret && answered;
    const read = said('secret') !== '';
    const reached = said('reached') === 'yes';
    const shared = said('kernel') === kernel?.trim();
    const claims: readonly (readonly [claim: string, held: boolean, detail: string])[] = [
      ['the work tree can be written', works, works ? 'a file went both ways' : 'no file went through'],
      [
        'a file outside the work tree cannot be written',
        works && !written,
        written ? 'it was written' : 'it is not there on the host',
      ],
      ['a file outside the work tree cannot be read', works && !read, read ? 'it was read' : 'nothing was read'],
      [
        'a host off the list cannot be reached',
        said('reached') === 'no',
        `${elsewhere} ${reached ? 'answered' : 'was refused'}`,
      ],
      [
        "the host's processes cannot be seen",
        said('kernel') !== '' && !shared,
        shared ? "its kernel is the host's" : 'its kernel is its own',
      ],
    ];
    return claims.map(([claim, held, detail]) => ({ claim, held, detail }));
  } finally {
    await remove(inside);
    await remove(outside);
  }
}

const LEGACY_PATIENCE_MS = 10_000;

/** Is the plugin of Docker Desktop installed that sbx has replaced? Only to advise its users what to install. */
async function legacyIsThere(docker: RunSbx): Promise<boolean> {
  const answer = await docker(['sandbox', 'ls'], { timeoutMs: LEGACY_PATIENCE_MS });
  return answer?.exitCode === 0;
}
