/** What the canary is to try. Absolute paths; ports of the host's loopback. */
export interface Tried {
  readonly inside: string;
  readonly outside: string;
  /** Files with `word` in them. */
  readonly secrets: readonly string[];
  /** Folders that must not be there, or be empty. */
  readonly folders: readonly string[];
  readonly listed: number;
  readonly unlisted: number;
  /** Also on the command line of a process of the host. */
  readonly word: string;
}

/** What it came to see. The details are for people. */
export interface Seen {
  readonly inside: string;
  readonly outside: string;
  readonly secret: boolean;
  readonly secretDetail: string;
  readonly listed: boolean;
  readonly listedDetail: string;
  readonly unlistedDetail: string;
  readonly processes: boolean;
  readonly processesDetail: string;
}

/**
 * Runs inside, as `node -e CANARY <Tried as JSON>`, and prints `{"canary": Seen}`. Text, as it has to run in whatever
 * Node the inside has, with nothing of ours there.
 */
export const CANARY = `
const fs = require('node:fs'), http = require('node:http'), net = require('node:net');
const { execFileSync } = require('node:child_process');
const tried = JSON.parse(process.argv[1]);
const attempt = (what) => { try { return what() } catch (error) { return error.code || String(error) } };
const write = (path) => attempt(() => { fs.writeFileSync(path, 'canary'); return 'written' });

function secrets() {
  const found = [];
  for (const path of tried.secrets) {
    const text = attempt(() => fs.readFileSync(path, 'utf8'));
    if (text.includes(tried.word)) found.push(path);
  }
  for (const path of tried.folders) {
    const names = attempt(() => fs.readdirSync(path));
    if (Array.isArray(names) && names.length > 0) found.push(path);
  }
  return found;
}

function commandLines() {
  if (!fs.existsSync('/proc/self')) {
    const lines = attempt(() => execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }));
    return lines.split('\\n');
  }
  const pids = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid));
  return pids.map((pid) => attempt(() => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8')));
}

// The canary's own command line, and that of whoever started it, have the word after the other names.
const foreign = (lines) => lines.some((line) => line.includes(tried.word) && !line.includes('"word"'));

function byProxy(port) {
  const proxy = attempt(() => new URL(process.env.HTTP_PROXY || process.env.http_proxy));
  if (!(proxy instanceof URL)) return Promise.resolve('no proxy');
  const login = proxy.username && 'Basic ' + Buffer.from(decodeURIComponent(proxy.username) + ':' + decodeURIComponent(proxy.password)).toString('base64');
  return new Promise((resolve) => {
    const request = http.get({
      host: proxy.hostname, port: proxy.port, path: 'http://127.0.0.1:' + port + '/', timeout: 10000,
      headers: { host: '127.0.0.1:' + port, ...(login && { 'proxy-authorization': login }) },
    }, (response) => {
      let text = '';
      response.on('data', (chunk) => { text += chunk });
      response.on('end', () => resolve(text === 'reached' ? text : 'status ' + response.statusCode));
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', (error) => resolve(error.code || error.message));
  });
}

function direct(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, timeout: 3000 }, () => { socket.destroy(); resolve('reached') });
    socket.on('timeout', () => { socket.destroy(); resolve('no answer') });
    socket.on('error', (error) => resolve(error.code || error.message));
  });
}

(async () => {
  const found = secrets(), lines = commandLines(), seen = foreign(lines);
  const listed = await byProxy(tried.listed), off = await byProxy(tried.unlisted), past = await direct(tried.unlisted);
  console.log(JSON.stringify({ canary: {
    inside: write(tried.inside), outside: write(tried.outside),
    secret: found.length > 0, secretDetail: found.length > 0 ? 'read: ' + found.join(', ') : 'not there',
    listed: listed === 'reached', listedDetail: listed,
    unlistedDetail: 'by the proxy: ' + off + '; directly: ' + past,
    processes: seen, processesDetail: lines.length + ' processes seen',
  } }));
})();
`;
