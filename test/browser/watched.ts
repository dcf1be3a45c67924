import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { runCommand } from '../../src/platform/index.ts';
import type { Overview } from '../../src/surfaces/dashboard/index.ts';
import { openBrowser, type TestBrowser } from '../support/browser.ts';
import { RALPH } from '../support/project.ts';

/** A dashboard that serves one project, and a browser that is signed in. */
export interface Watched extends TestBrowser {
  /** Opens a part of a run's page, e.g. `transcript`. */
  open(run: string, part: string): Promise<void>;
}

/** An empty repository with any name, and a home folder beside it. */
export interface Place {
  readonly root: string;
  readonly home: string;
  git(...args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

export async function makePlace(name = 'app'): Promise<Place> {
  const base = await mkdtemp(join(tmpdir(), 'ralph-watched-'));
  const root = join(base, name);
  const home = join(base, 'home');
  await mkdir(root);
  await mkdir(home);
  const git = async (...args: readonly string[]): Promise<string> => {
    const me = ['-c', 'user.name=A User', '-c', 'user.email=user@example.org', '-c', 'commit.gpgsign=false'];
    const { exitCode, stdout, stderr } = await runCommand('git', [...me, ...args], { cwd: root });
    if (exitCode !== 0) throw new Error(`git ${args[0]}: ${stderr.toString('utf8')}`);
    return stdout.toString('utf8').trim();
  };
  await git('init', '-q', '-b', 'main');
  return {
    root,
    home,
    git,
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/** Starts the built dashboard in a project and opens it. */
export async function watch(root: string, home: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, LANG: 'C.UTF-8' };
  const server = spawn(process.execPath, [RALPH, 'dashboard', '--port', '0'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = new URL(await firstLine(server));
  const browser = await openBrowser(options);
  await browser.page.goto(address.href);
  const { projects } = (await (await browser.page.request.get(`${address.origin}/api/overview`)).json()) as Overview;
  const id = projects.find((project) => project.root === root)?.id;
  return {
    ...browser,
    open: async (run, part) => {
      await browser.page.goto(`${address.origin}/#/run/${id}/${run}/${part}`);
    },
    async close() {
      await browser.close();
      server.kill('SIGTERM');
      if (server.exitCode === null) await new Promise((ended) => server.once('exit', ended));
    },
  };
}

function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end > 0) resolve(text.slice(0, end));
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`the dashboard ended with ${code}`)));
  });
}
