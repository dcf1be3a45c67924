import { table } from '../../tables.ts';
import { constant, UNKNOWN, wordOf } from '../../words.ts';
import { type Nested, nestedArgv, nestedShell, nestedWrite } from '../frame.ts';
import { type Call, findCalls, listOf, text, textOf, type Value, withArguments } from './calls.ts';

/**
 * What a program in another language does to files and processes, as shell commands: `shutil.rmtree('x')` becomes `rm
 * -rf x`, `open('x', 'w')` a redirection to `x`, `os.system('…')` shell text. The rules need no knowledge of languages.
 */
export function effectsOf(code: string, language: string, home: string): readonly Nested[] {
  return findCalls(code, language, home).flatMap((call) => {
    const service = serviceEffectsOf(call, code);
    if (service.length > 0) return service;
    const effect = EFFECTS.get(call.names.at(-1) ?? '');
    return effect === undefined ? [] : effect({ ...call, language });
  });
}

/** A call, and its language. */
interface Site extends Call {
  readonly language: string;
}

type Effect = (site: Site) => readonly Nested[];

/** Shell text, or a program with a list of arguments, in the spellings of every language. */
const runs: Effect = (site) => {
  const [first, second, ...others] = site.args;
  const words = listOf(first);
  if (words !== null && words.length > 1) return argv(...words);
  const program = textOf(first);
  const list = listOf(second) ?? (second?.kind === 'record' ? listOf(second.fields.get('args')) : null);
  if (list !== null && (list.length > 0 || !/\s/.test(program)))
    return argv(program, ...list.filter((word, at) => at > 0 || word !== program));
  const options = [second, ...others].filter((value): value is Value => value?.kind === 'text').map(textOf);
  const input = second?.kind === 'record' ? textOf(second.fields.get('input')) : (options[0] ?? UNKNOWN);
  if (/^(.*\/)?(ba|z|da|k)?sh$/.test(program) && input !== UNKNOWN) return [nestedShell('', input)];
  const variadic = /^(perl|ruby)$/.test(site.language) || /^(Command$|ProcessBuilder)/.test(site.names.at(-1) ?? '');
  if (variadic && options.length > 0) return argv(program, ...options);
  return [nestedShell('', program)];
};

/** Like `runs`, where the name alone is ambiguous: `subprocess.run`, but not `app.run`. */
const runsOf =
  (owner: RegExp): Effect =>
  (site) =>
    site.names.length === 1 || owner.test(site.names.join('.')) ? runs(site) : [];

/** `command.arg("-r")`: each word makes it another command. */
const runsWords: Effect = (site) =>
  site.receiver?.kind === 'list' ? argv(...(listOf(withArguments(site)) ?? [])) : [];

/** `os.execvp('rm', ['rm', …])`: the list repeats the name. */
const executes: Effect = (site) => {
  const list = listOf(site.args.find((value) => value.kind === 'list'));
  return list === null ? runs(site) : argv(...list);
};

/** `os.execlp('rm', 'rm', …)`, `os.spawnlp(mode, 'rm', 'rm', …)`. */
const executesWords: Effect = (site) => {
  const words = site.args.filter((value) => value.kind === 'text').map(textOf);
  return argv(...words.slice(site.names.at(-1)?.startsWith('spawn') ? 2 : 1));
};

/** `promisify(exec)('…')`, `"…".execute()`. */
const runsText =
  (textIn: (site: Site) => Value | null | undefined): Effect =>
  (site) => {
    const code = textOf(textIn(site) ?? undefined);
    return code === UNKNOWN ? [] : [nestedShell('', code)];
  };

/** More code in the same language: `eval(base64.b64decode('…'))`. */
const interprets: Effect = (site) => {
  const code = textOf(site.args[0]);
  return code === UNKNOWN ? [] : [{ kind: 'language', via: '', language: site.language, code: constant(code) }];
};

/** `exec` runs shell text except in Python, and the text for `RegExp.exec` is not a command. */
const execs: Effect = (site) => {
  if (site.language === 'python') return interprets(site);
  return site.names.includes('RegExp') ? [] : runs(site);
};

/** Like another effect, if the call belongs to one of these: `os.remove`, but not `list.remove`. */
const of =
  (owner: RegExp, effect: Effect): Effect =>
  (site) =>
    owner.test(site.names.join('.')) ? effect(site) : [];

/** Printed text may be piped to a shell. Its known part counts. */
const prints: Effect = (site) => {
  const words = site.args.map(textOf);
  return words.every((word) => word.replaceAll(UNKNOWN, '').trim() === '') ? [] : argv('echo', ...words);
};

const kills: Effect = (site) => {
  const words = site.args.map(textOf);
  if (!/^(ruby|perl)$/.test(site.language)) return argv('kill', '--', words[0] ?? UNKNOWN);
  return argv('kill', '--', ...words.slice(1));
};

function argv(...words: readonly string[]): readonly Nested[] {
  return [
    nestedArgv(
      '',
      words.map((word) => wordOf(word)),
    ),
  ];
}

/** The path that a call uses: its first argument, or the receiver of the method. */
function pathOf(site: Site): string {
  return textOf(site.args[0] ?? site.receiver ?? undefined);
}

/** A loop over the work tree's own listing removes all of it. */
const removesTree: Effect = (site) => {
  const path = pathOf(site);
  if (path !== `./${UNKNOWN}`) return argv('rm', '-rf', path);
  return [nestedArgv('', [wordOf('rm'), wordOf('-rf'), wordOf('./*', true)])];
};

const removesFile: Effect = (site) => {
  const paths =
    site.args.length === 0 ? [pathOf(site)] : site.args.flatMap((value) => listOf(value) ?? [textOf(value)]);
  const known = paths.filter((path) => path !== UNKNOWN);
  return known.length === 0 ? [] : argv('rm', '-f', ...known);
};

const removes: Effect = (site) => {
  const recursive = site.args[1]?.kind === 'record' && site.args[1].fields.has('recursive');
  return recursive ? removesTree(site) : removesFile(site);
};

const writes: Effect = (site) => redirectTo(pathOf(site));

/** `Path('x').write_text('…')`: the argument is not the path. */
const writesReceiver: Effect = (site) => redirectTo(textOf(site.receiver ?? undefined));

function redirectTo(path: string): readonly Nested[] {
  return path === UNKNOWN ? [] : [nestedWrite('', wordOf(path))];
}

const reads: Effect = (site) => {
  const path = pathOf(site);
  return path === UNKNOWN ? [] : argv('cat', path);
};

/** `open(path, mode)`, and Perl's `open(F, '>path')`, `open(F, '>', path)`, `open(F, '|cmd')`. */
const opens: Effect = (site) => {
  const texts = site.args.map(textOf);
  if (site.language === 'perl') return opensInPerl(site, texts.slice(1));
  const [path = UNKNOWN, ...modes] =
    site.receiver?.kind === 'text' && texts.length < 2 && site.receiver.text !== UNKNOWN
      ? [site.receiver.text, ...texts]
      : texts;
  if (path.startsWith('|')) return [nestedShell('', path.slice(1))];
  return modes.some((mode) => /^[rbt]*[wax+][bt+]*$/.test(mode))
    ? redirectTo(path)
    : reads({ ...site, args: [text(path)] });
};

function opensInPerl(site: Site, args: readonly string[]): readonly Nested[] {
  const match = /^\s*(\+?[<>]{0,2}|\||-\|)\s*([^|]*)(\|?)/.exec(args.join(' '));
  const [, mode = '', path = '', pipe = ''] = match ?? [];
  if (mode.includes('|') || pipe !== '') return [nestedShell('', path)];
  return mode.includes('>') || mode.startsWith('+') ? redirectTo(path) : reads({ ...site, args: [text(path)] });
}

const twoPaths =
  (program: string, ...flags: string[]): Effect =>
  (site) => {
    const paths = site.args.slice(0, 2).flatMap((value) => listOf(value) ?? [textOf(value)]);
    return argv(
      program,
      ...flags,
      ...(paths.length === 1 && site.receiver !== null ? [textOf(site.receiver), ...paths] : paths),
    );
  };

/** Mode first in Ruby and Perl, path first elsewhere. */
const changesMode: Effect = (site) => {
  const [first = UNKNOWN, second = UNKNOWN] = site.args.map(textOf);
  const modeFirst = /^(ruby|perl)$/.test(site.language);
  const mode = (modeFirst ? first : second).replace(/^0o?(?=\d)/, '');
  return argv('chmod', mode, modeFirst ? second : first);
};

const FILES =
  /(^|\.)(os|fs|ioutil|fsp|fse|fsPromises|promises|shutil|path|pathlib|Deno|File|Dir|FileUtils|Pathname|Bun|IO|posix)\b/;

/** What calls do, by their last name. */
const EFFECTS = table<Effect>([
  ['` system system2 popen popen2 popen3 getoutput getstatusoutput check_call check_output Popen', runs],
  ['create_subprocess_shell spawn spawnSync execSync execFile execFileSync execa execaSync', runs],
  ['execaCommand execaCommandSync $ Command capture2 capture2e capture3 pipeline shell_exec passthru', runs],
  ['proc_open ProcessBuilder', runs],
  ['execl execle execlp execlpe spawnl spawnle spawnlp spawnlpe', executesWords],
  ['promisify', runsText(({ args }) => args[0])],
  ['Function', (site) => interprets({ ...site, args: site.args.slice(-1) })],
  ['new', of(/\bCommand\.new$/, runs)],
  ['arg args', runsWords],
  ['run', runsOf(/subprocess|Command|invoke/)],
  ['call', runsOf(/subprocess/)],
  ['create_subprocess_exec pcntl_exec execv execve execvp execvpe spawnv spawnvp posix_spawn', executes],
  ['exec', execs],
  ['execute', (site) => [...of(/^os\./, runs)(site), ...runsText(({ receiver }) => receiver)(site)]],
  ['eval runInNewContext runInThisContext instance_eval', interprets],
  ['print printf puts echo say', prints],
  ['log', of(/^console\.log$/, prints)],
  [
    'write',
    (site) =>
      (site.names.includes('stdout')
        ? of(/(^|\.)stdout\.write$/, prints)
        : of(/(^|\.)(File|IO|Bun|Deno)\.write$/, writes))(site),
  ],
  [
    'send2trash rmtree rm_rf rm_r rmdir_r remove_dir remove_dir_all remove_entry remove_entry_secure remove_tree',
    removesTree,
  ],
  ['removeSync RemoveAll emptyDir emptyDirSync rimraf rimrafSync deleteSync', removesTree],
  ['rm rmSync rmdirSync rmdir', removes],
  ['sync', of(/\b(rimraf|del)\b/, removesTree)],
  ['rm_f removedirs unlink unlinkSync file.remove remove_file Remove', removesFile],
  ['remove', of(FILES, removes)],
  ['delete', of(FILES, removesFile)],
  ['WriteFile writeFile writeFileSync appendFile appendFileSync outputFile outputFileSync outputJson', writes],
  ['outputJsonSync writeJson writeJsonSync createWriteStream writeTextFile writeTextFileSync', writes],
  ['file_put_contents truncateSync', writes],
  ['truncate', of(FILES, writes)],
  ['write_text write_bytes', writesReceiver],
  ['open openSync fopen', opens],
  [
    'ReadFile read_to_string readFile readFileSync readTextFile readTextFileSync createReadStream file_get_contents',
    reads,
  ],
  ['readfile read_text read_bytes', reads],
  ['read', of(/(^|\.)(File|IO)\.read$/, reads)],
  ['readlines', of(/(^|\.)(File|IO)\.readlines$/, reads)],
  ['rename renameSync', twoPaths('mv', '-f')],
  ['replace', of(/(^|\.)os\.replace$/, twoPaths('mv', '-f'))],
  ['move mv', of(FILES, twoPaths('mv', '-f'))],
  ['copyFile copyFileSync copyfile', twoPaths('cp')],
  ['copytree cpSync cp_r', twoPaths('cp', '-r')],
  ['copy', of(FILES, twoPaths('cp'))],
  ['cp', of(FILES, twoPaths('cp', '-r'))],
  ['symlink symlinkSync', twoPaths('ln', '-s')],
  ['chdir', (site) => argv('cd', pathOf(site))],
  ['chmod chmodSync', changesMode],
  ['kill', kills],
]);

/**
 * What a call does to databases, clouds and key rings, as the equivalent command line: the rules about `psql` and `aws`
 * need no knowledge of client libraries. Empty for any other call.
 */
function serviceEffectsOf(call: Call, code: string): readonly Nested[] {
  const name = call.names.at(-1) ?? '';
  const words = SERVICES.get(name)?.(call, code) ?? statement(call, code) ?? cloudChange(name, code);
  return words === null ? [] : argv(...words);
}

type Service = (call: Call, code: string) => readonly string[] | null;

const flushes: Service = () => ['redis-cli', 'FLUSHALL'];

const dropsDatabase: Service = () => ['mongosh', '--eval', 'db.dropDatabase()'];

/** An empty filter matches everything. */
const deletesDocuments: Service = ({ args: [filter] }) =>
  filter === undefined || (filter.kind === 'record' && filter.fields.size === 0)
    ? ['mongosh', '--eval', 'db.collection.deleteMany({})']
    : null;

/** `User.delete_all`, `User.objects.all().delete()`, but not of the rows that a condition picks. */
const deletesRows: Service = ({ names }) =>
  names.some((name) => /^(where|filter|exclude|find\w*|get)$/.test(name)) ? null : ['psql', '-c', 'TRUNCATE rows'];

/** `requests.delete(url)`, `fetch(url, { method: 'DELETE' })`. */
const deletesAddress: Service = ({ args }) => {
  const [url, options] = args;
  const method = options?.kind === 'record' ? textOf(options.fields.get('method')) : 'DELETE';
  return /^https?:/.test(textOf(url)) && /^delete$/i.test(method) ? ['curl', '-X', 'DELETE', textOf(url)] : null;
};

const HTTP_CLIENT = /^(requests|httpx|session|client|axios|got|ky|superagent|HTTParty|Faraday|RestClient)$/;

/** Libraries that push: GitPython, pygit2, simple-git, … */
const GIT_LIBRARY = /\b(import git\b|from git\b|pygit2|simple-git|isomorphic-git|nodegit|rugged)/;

const pushes: Service = ({ names, receiver }, code) =>
  receiver !== null && names.some((name) => /git|repo|remote|origin/i.test(name)) && GIT_LIBRARY.test(code)
    ? ['git', 'push']
    : null;

const readsKeyRing: Service = (_, code) => (/keyring|keytar/.test(code) ? ['secret-tool', 'lookup'] : null);

/** `glob.glob('~/.ssh/*')`: other calls use the files, which they get one by one. */
const findsFiles: Service = ({ args: [pattern] }, code) => {
  const path = textOf(pattern);
  if (path === UNKNOWN) return null;
  if (/\b(unlink\w*|remove\w*|rmtree|rm_r?f?|delete)\b/.test(code)) return ['rm', '-rf', path];
  return /\b(open|read\w*|slurp|file_get_contents)\b/.test(code) ? ['cat', path] : null;
};

const SERVICES = table<Service>([
  ['flushall flushAll flushdb flushDb', flushes],
  ['dropDatabase drop_database', dropsDatabase],
  ['deleteMany delete_many', deletesDocuments],
  ['delete_all destroy_all', deletesRows],
  [
    'delete truncate',
    (call, code) =>
      HTTP_CLIENT.test(call.names[0] ?? '')
        ? deletesAddress(call, code)
        : /all|DB/.test(call.names.join()) || /\b[A-Z]\w*::truncate\(/.test(code)
          ? deletesRows(call, code)
          : null,
  ],
  ['fetch', (call, code) => (call.args[1]?.kind === 'record' ? deletesAddress(call, code) : null)],
  ['push', pushes],
  ['get_password getPassword', readsKeyRing],
  ['glob iglob globSync', findsFiles],
  ['walk', (call, code) => (/^(\/|~|\.\.|\.git)/.test(textOf(call.args[0])) ? findsFiles(call, code) : null)],
]);

/** Statements that change tables; the rules decide what they lose. */
const CHANGING_SQL = /^\s*(drop|truncate|delete\s+from|alter|update|revoke)\s/i;

const FILE_DATABASE = /sqlite|duckdb|:memory:/i;

const OPENED_FILE = /\b(?:connect|open|Database|DatabaseSync|new)\s*\(\s*(["'])([^"']+)\1/;

/** A call with a changing statement: `cursor.execute('DROP TABLE t')`, `pool.query('…')`, `mysqli_query($c, '…')`. */
const statement: Service = ({ names, args }, code) => {
  if (!/query|exec|run|raw|unsafe|prepare|sql|^do$/i.test(names.at(-1) ?? '')) return null;
  const sql = args.map(textOf).find((text) => CHANGING_SQL.test(text));
  if (sql === undefined) return null;
  if (!FILE_DATABASE.test(code)) return ['psql', '-c', sql];
  return ['sqlite3', OPENED_FILE.exec(code)?.[2] ?? ':memory:', sql];
};

const CLOUD_LIBRARY =
  /\bboto3?\b|aws-sdk|google\.cloud|@google-cloud|googleapiclient|azure\.|@azure\/|digitalocean|\bdocker\.from_env/;

const CLOUD_VERB =
  /^(delete|terminate|destroy|purge|deregister)(_\w+|[A-Z]\w*)?$|^(Delete|Terminate|Purge|Deregister)\w+Command$/;

function cloudChange(name: string, code: string): readonly string[] | null {
  return CLOUD_VERB.test(name) && CLOUD_LIBRARY.test(code) ? ['aws', 'sdk', 'delete-resources'] : null;
}
