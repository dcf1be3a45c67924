import { randomBytes } from 'node:crypto';
import type { Attempt } from './attempt.ts';

/** Time limit of one attempt inside, in milliseconds. */
const ATTEMPT_MS = 15_000;
const AT_A_TIME = 4;

/** A text that must not come out of a sandbox. The driver knows its shape, and reports it in output of any length. */
export function newSecret(): string {
  return `secret-${randomBytes(12).toString('hex')}`;
}

/** What an attempt sends to a listener to identify itself. */
export const markOf = (id: string) => `battery:${id};`;

const SH_BEFORE = `escaped() { echo "ESCAPED $*"; }
lacks() { echo "LACKS $*"; exit; }
needs() { command -v "$1" > /dev/null || lacks "$1"; }
cd "$WORK" || exit`;

const NODE_BEFORE = `
const net = require('node:net');
const { CONTROL_URL, HTTP_PROXY } = process.env;
const CONNECTED = 'connected';
const mark = '${markOf("' + process.env.ID + '")}';
const escaped = (what) => console.log('ESCAPED ' + what);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bearer = (token) => ({ authorization: 'Bearer ' + token });

// Sends a text; what came back, CONNECTED when nothing did, or the code of the error.
const say = (to, text) => new Promise((resolve) => {
  let answer = '';
  let connected = false;
  const socket = net.connect(to);
  const end = (code) => { socket.destroy(); resolve(answer || (connected ? CONNECTED : code)); };
  socket.on('connect', () => { connected = true; socket.write(text); });
  socket.on('data', (data) => { answer += data.toString('latin1'); wait(100); });
  socket.on('error', (error) => end(error.code || 'EFAILED'));
  socket.on('close', () => end('ECLOSED'));
  let timer;
  const wait = (ms) => { clearTimeout(timer); timer = setTimeout(() => end('ETIMEDOUT'), ms); };
  wait(600);
});

const proxyAddress = () => {
  const { hostname: host, port } = new URL(HTTP_PROXY);
  return { host, port: Number(port) };
};
const proxySocket = () => net.connect(proxyAddress());
const firstLine = (answer) => answer.split('\\r\\n')[0];
// Sends a request to the proxy as it is; first lines of the answers.
const tell = async (request) => HTTP_PROXY ? firstLine(await say(proxyAddress(), request)) : 'no proxy inside';
// The same for a head without its end; then, in a tunnel that opened, another text.
const ask = (head, inTunnel = '') => tell(head + '\\r\\n\\r\\n' + inTunnel);
const refused = async (head) => {
  const line = await ask(head);
  console.log(line);
  if (/^HTTP\\/1.. [235]/.test(line)) escaped(head.split('\\r\\n')[0] + ': ' + line);
};

// Status of a call to the control server; 999 where it cannot be reached.
const status = (method, path, headers) => new Promise((resolve) => {
  if (!CONTROL_URL) { console.log('the control server is not there inside'); resolve(999); return; }
  const { hostname, port } = new URL(CONTROL_URL);
  const request = require('node:http').request({ hostname, port, method, path, headers, agent: false }, (response) => {
    console.log(method, path, response.statusCode);
    resolve(response.statusCode);
    response.destroy();
  });
  request.on('error', (error) => { console.log(error.code); resolve(999); });
  request.end(method === 'POST' ? '{}' : undefined);
});

(async () => {`;

const NODE_AFTER = `
})().catch((error) => console.log(error.code || error.message)).finally(() => process.exit());
`;

export function scriptText({ by, script }: Attempt): string {
  return by === 'sh' ? `${SH_BEFORE}\n${script}\n` : `${NODE_BEFORE}${script}${NODE_AFTER}`;
}

export function scriptName({ id, by }: Attempt): string {
  return by === 'sh' ? `${id}.sh` : `${id}.cjs`;
}

/** The driver's input, a file beside it. */
export function planText(
  attempts: readonly Attempt[],
  variables: Readonly<Record<string, string>>,
  outside: string,
): string {
  const list = attempts.map((attempt) => ({
    id: attempt.id,
    by: attempt.by,
    file: scriptName(attempt),
    env: { ...variables, ID: attempt.id, OUT: `${outside}/${attempt.id}` },
  }));
  return JSON.stringify(list);
}

export interface Report {
  readonly id: string;
  /** Null: the attempt began. */
  readonly output: string | null;
}

/** Runs the attempts of a plan inside, and prints a {@link Report} when each begins and when it has ended. */
export const DRIVER = `
const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const plan = JSON.parse(readFileSync(join(__dirname, 'plan.json'), 'utf8'));
const report = (id, output) => process.stdout.write(JSON.stringify({ id, output }) + '\\n');
const shortened = (output) => {
  if (output.length <= 60000) return output;
  const secrets = output.match(/secret-[0-9a-f]{24}/g) || [];
  return [output.slice(0, 30000), ...new Set(secrets), output.slice(-30000)].join('\\n');
};
const next = () => {
  const attempt = plan.shift();
  if (!attempt) return;
  const { id, by, file, env } = attempt;
  let output = '';
  const end = () => {
    clearTimeout(timer);
    report(id, shortened(output));
    next();
  };
  report(id, null);
  const child = spawn(by === 'sh' ? 'sh' : process.execPath, [join(__dirname, file)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), ${ATTEMPT_MS});
  const keep = (data) => { if (output.length < 4e6) output += data.toString('latin1'); };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (error) => { output += error.message; end(); });
  // Not 'close': what an attempt leaves in the background may hold the pipes for good.
  child.on('exit', () => setTimeout(end, 50));
};
for (let i = 0; i < ${AT_A_TIME}; i += 1) next();
`;
