import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from '../root.ts';
import { textOf } from './ansi.ts';

const run = promisify(execFile);

const ROWS = 32;

/** How far the demo has to be: a story is done, and the agent at work uses a tool. */
const TELLING = /^ now +(Bash|Write) .*stories .* [123] of 4/ms;

/**
 * The screen of `ralph monitor` in the middle of a demo, as lines with styles, from a real terminal.
 * @throws where tmux is not installed
 */
export async function monitorScreen(columns: number): Promise<readonly string[]> {
  const home = await mkdtemp(join(tmpdir(), 'ralph-picture-'));
  const server = ['-L', `ralph-picture-${process.pid}`];
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
  const tmux = async (...args: readonly string[]) =>
    (await run('tmux', [...server, ...args], { cwd: home, env })).stdout;
  const ralph = `'${process.execPath}' '${join(root, 'bin/ralph.js')}'`;
  try {
    await tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(ROWS), `${ralph} demo`);
    await tmux('set-option', '-g', 'status', 'off');
    const project = await theProject(home);
    await tmux('new-window', `${ralph} monitor -d '${project}'`);
    for (let looks = 0; looks < 600; looks += 1) {
      const screen = await tmux('capture-pane', '-p', '-e');
      // tmux also says that the background is the usual one.
      const lines = screen.replaceAll('\u001b[49m', '').trimEnd().split('\n');
      if (TELLING.test(lines.map(textOf).join('\n'))) return lines;
      await wait(100);
    }
    throw new Error('the demo never came to where the picture is taken');
  } finally {
    await tmux('kill-server').catch(() => '');
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** The repository of the demo, as soon as it is there. */
async function theProject(folder: string): Promise<string> {
  for (let looks = 0; looks < 100; looks += 1) {
    const name = (await readdir(folder)).find((entry) => entry.startsWith('ralph-demo-'));
    if (name !== undefined) return join(folder, name);
    await wait(100);
  }
  throw new Error('the demo made no repository');
}
