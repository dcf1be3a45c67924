import type { Nested } from '../nested.ts';
import { entryOf } from '../table.ts';
import { constant, UNKNOWN } from '../text.ts';
import { findCalls } from './calls.ts';
import {
  argv,
  changesMode,
  type Effect,
  opens,
  pathOf,
  reads,
  removes,
  removesFile,
  removesTree,
  twoPaths,
  writes,
  writesReceiver,
} from './file-effects.ts';
import { serviceEffectsOf } from './services.ts';
import { listOf, textOf, type Value } from './values.ts';

/**
 * What a program in another language does to files and processes, as shell commands: `shutil.rmtree('x')` comes out as
 * `rm -rf x`, `open('x', 'w')` as a redirection to `x`, `os.system('…')` as shell text. The rules need not know languages.
 */
export function effectsOf(code: string, language: string, home: string): readonly Nested[] {
  return findCalls(code, language, home).flatMap((call) => {
    const service = serviceEffectsOf(call, code);
    if (service.length > 0) return service;
    const effect = entryOf(EFFECTS, call.names.at(-1) ?? '');
    return effect === undefined ? [] : effect({ ...call, language });
  });
}

/** Shell text, or a program with a list of arguments, in all the ways languages spell them. */
const runs: Effect = (site) => {
  const [first, second, ...others] = site.args;
  const words = listOf(first);
  if (words !== null && words.length > 1) return argv(...words);
  const program = textOf(first);
  const list = listOf(second) ?? (second?.kind === 'record' ? listOf(second.fields.get('args')) : null);
  if (list !== null) return argv(program, ...list.filter((word, at) => at > 0 || word !== program));
  const options = [second, ...others].filter((value): value is Value => value?.kind === 'text').map(textOf);
  const variadic = /^(perl|ruby)$/.test(site.language) || /^(execl|spawnl)/.test(site.names.at(-1) ?? '');
  if (variadic && options.length > 0) return argv(program, ...options);
  return [{ kind: 'shell', via: '', code: constant(program), where: 'child' }];
};

/** As `runs`, where the name alone says too little: `subprocess.run`, but not `app.run`. */
const runsOf =
  (owner: RegExp): Effect =>
  (site) =>
    site.names.length === 1 || owner.test(site.names.join('.')) ? runs(site) : [];

/** `os.execvp('rm', ['rm', …])`: the list holds the name again. */
const executes: Effect = (site) => {
  const list = listOf(site.args.find((value) => value.kind === 'list'));
  return list === null ? runs(site) : argv(...list);
};

/** More of the same language: `eval(base64.b64decode('…'))`. */
const interprets: Effect = (site) => {
  const code = textOf(site.args[0]);
  return code === UNKNOWN ? [] : [{ kind: 'language', via: '', language: site.language, code: constant(code) }];
};

/** `exec` runs shell text everywhere but in Python, and `RegExp.exec` takes text that is no command. */
const execs: Effect = (site) => {
  if (site.language === 'python') return interprets(site);
  return site.names.includes('RegExp') ? [] : runs(site);
};

/** As another effect, if the call belongs to one of these: `os.remove`, but not `list.remove`. */
const of =
  (owner: RegExp, effect: Effect): Effect =>
  (site) =>
    owner.test(site.names.join('.')) ? effect(site) : [];

/** What is printed may be piped to a shell. What is known of it counts. */
const prints: Effect = (site) => {
  const words = site.args.map(textOf);
  return words.every((word) => word.replaceAll(UNKNOWN, '').trim() === '') ? [] : argv('echo', ...words);
};

const kills: Effect = (site) => {
  const words = site.args.map(textOf);
  if (!/^(ruby|perl)$/.test(site.language)) return argv('kill', '--', words[0] ?? UNKNOWN);
  return argv('kill', '--', ...words.slice(1));
};

const FILES =
  /(^|\.)(os|fs|fsp|fse|fsPromises|promises|shutil|path|pathlib|Deno|File|Dir|FileUtils|Pathname|Bun|IO|posix)\b/;

/** What calls do, by their last name. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  '`': runs,
  system: runs,
  system2: runs,
  popen: runs,
  popen2: runs,
  popen3: runs,
  getoutput: runs,
  getstatusoutput: runs,
  run: runsOf(/subprocess|Command|invoke/),
  call: runsOf(/subprocess/),
  check_call: runs,
  check_output: runs,
  Popen: runs,
  create_subprocess_shell: runs,
  create_subprocess_exec: executes,
  spawn: runs,
  spawnSync: runs,
  execSync: runs,
  execFile: runs,
  execFileSync: runs,
  exec: execs,
  execa: runs,
  execaSync: runs,
  execaCommand: runs,
  execaCommandSync: runs,
  $: runs,
  Command: runs,
  capture2: runs,
  capture2e: runs,
  capture3: runs,
  pipeline: runs,
  shell_exec: runs,
  passthru: runs,
  proc_open: runs,
  pcntl_exec: executes,
  execute: of(/^os\./, runs),
  execv: executes,
  execve: executes,
  execvp: executes,
  execvpe: executes,
  execl: runs,
  execlp: runs,
  spawnv: executes,
  spawnvp: executes,
  posix_spawn: executes,
  eval: interprets,
  runInNewContext: interprets,
  runInThisContext: interprets,
  instance_eval: interprets,
  print: prints,
  printf: prints,
  puts: prints,
  echo: prints,
  say: prints,
  log: of(/^console\.log$/, prints),
  write: of(/(^|\.)(stdout\.write|(File|IO|Bun|Deno)\.write)$/, (site) =>
    site.names.includes('stdout') ? prints(site) : writes(site),
  ),
  rmtree: removesTree,
  rm_rf: removesTree,
  rm_r: removesTree,
  rmdir_r: removesTree,
  remove_dir: removesTree,
  remove_entry: removesTree,
  remove_entry_secure: removesTree,
  remove_tree: removesTree,
  removeSync: removesTree,
  emptyDir: removesTree,
  emptyDirSync: removesTree,
  rimraf: removesTree,
  rimrafSync: removesTree,
  deleteSync: removesTree,
  rm: removes,
  rmSync: removes,
  rm_f: removesFile,
  rmdirSync: removes,
  rmdir: removes,
  removedirs: removesFile,
  unlink: removesFile,
  unlinkSync: removesFile,
  remove: of(FILES, removes),
  'file.remove': removesFile,
  delete: of(FILES, removesFile),
  writeFile: writes,
  writeFileSync: writes,
  appendFile: writes,
  appendFileSync: writes,
  outputFile: writes,
  outputFileSync: writes,
  outputJson: writes,
  outputJsonSync: writes,
  writeJson: writes,
  writeJsonSync: writes,
  createWriteStream: writes,
  writeTextFile: writes,
  writeTextFileSync: writes,
  file_put_contents: writes,
  truncate: of(FILES, writes),
  truncateSync: writes,
  write_text: writesReceiver,
  write_bytes: writesReceiver,
  open: opens,
  openSync: opens,
  fopen: opens,
  readFile: reads,
  readFileSync: reads,
  readTextFile: reads,
  readTextFileSync: reads,
  createReadStream: reads,
  file_get_contents: reads,
  readfile: reads,
  read_text: reads,
  read_bytes: reads,
  read: of(/(^|\.)(File|IO)\.read$/, reads),
  readlines: of(/(^|\.)(File|IO)\.readlines$/, reads),
  rename: twoPaths('mv', '-f'),
  renameSync: twoPaths('mv', '-f'),
  replace: of(/(^|\.)os\.replace$/, twoPaths('mv', '-f')),
  move: of(FILES, twoPaths('mv', '-f')),
  mv: of(FILES, twoPaths('mv', '-f')),
  copyFile: twoPaths('cp'),
  copyFileSync: twoPaths('cp'),
  copyfile: twoPaths('cp'),
  copytree: twoPaths('cp', '-r'),
  copy: of(FILES, twoPaths('cp')),
  cp: of(FILES, twoPaths('cp', '-r')),
  cpSync: twoPaths('cp', '-r'),
  cp_r: twoPaths('cp', '-r'),
  symlink: twoPaths('ln', '-s'),
  symlinkSync: twoPaths('ln', '-s'),
  chdir: (site) => argv('cd', pathOf(site)),
  chmod: changesMode,
  chmodSync: changesMode,
  kill: kills,
};
