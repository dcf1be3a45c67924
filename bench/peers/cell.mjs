/**
 * Runs a peer inside namespaces of its own and looks at what it leaves: `node cell.mjs SPEC.json`, where process 1 is a
 * shell that reaps. When this ends, the kernel ends everything that is still there.
 *
 * Plain JavaScript: a loader would have processes of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** @type {{ lab: string, cwd: string, run: string[], resume: string[], env: Record<string, string>, mode: string, limit: number, loop: string }} */
const spec = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { lab, mode } = spec;
writeFileSync(`${lab}/cell`, String(process.pid));
spawnSync('ip', ['link', 'set', 'lo', 'up']);

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
const started = () => (read(`${lab}/notes`).match(/^start /gm) ?? []).length;

/** What runs in here beside process 1 and this: pid, command line, resident MB. */
function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== '1' && name !== String(process.pid))
    .map((pid) => {
      const status = read(`/proc/${pid}/status`);
      return {
        pid: Number(pid),
        command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 120),
        mb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
        gone: status === '' || /^State:\s+Z/m.test(status),
      };
    })
    .filter(({ gone }) => !gone);
}

function start(command) {
  const out = openSync(`${lab}/output`, 'a');
  const child = spawn(command[0], command.slice(1), {
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    stdio: ['ignore', out, out],
  });
  closeSync(out);
  const state = { child, code: null, signal: null, ended: false };
  child.on('exit', (code, signal) => Object.assign(state, { code, signal, ended: true }));
  child.on('error', () => Object.assign(state, { code: 127, ended: true }));
  return state;
}

let peakMb = 0;
async function until(condition, seconds) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (condition()) return true;
    peakMb = Math.max(
      peakMb,
      processes().reduce((sum, { mb }) => sum + mb, 0),
    );
    await sleep(100);
  }
  return condition();
}

const facts = {
  began: 0,
  ended: false,
  code: null,
  signal: null,
  seconds: 0,
  survivors: [],
  left: [],
  peakMb: 0,
  reached: true,
};
const began = Date.now();
facts.began = began;
const loops = [start(spec.run)];
if (mode === 'twice') loops.push(start(spec.run));
if (mode === 'interrupt') {
  facts.reached = await until(() => started() > 0, spec.limit);
  await sleep(1000);
  process.kill(-loops[0].child.pid, 'SIGINT');
}
if (mode === 'kill') {
  facts.reached = await until(() => existsSync(`${lab}/midway`), spec.limit);
  const loop = new RegExp(spec.loop);
  for (const { pid, command } of processes()) {
    if (loop.test(command) && !command.includes('/bin/claude')) process.kill(pid, 'SIGKILL');
  }
  await sleep(3000);
  facts.left = processes().map(({ command }) => command);
  writeFileSync(`${lab}/calm`, '');
  loops[0] = start(spec.resume);
}
facts.ended = await until(() => loops.every(({ ended }) => ended), spec.limit);
facts.seconds = (Date.now() - began) / 1000;
facts.code = loops[0].code;
facts.signal = loops[0].signal;
// What was told to end gets a moment for it.
if (facts.ended) await until(() => processes().length === 0, 4);
facts.survivors = processes().map(({ command }) => command);
facts.peakMb = peakMb;
writeFileSync(`${lab}/facts.json`, JSON.stringify(facts));
process.exit();
