import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from './until.ts';

const run = promisify(execFile);
let count = 0;

/** A real terminal: a server of tmux with one window, and nobody else in it. */
export interface Terminal {
  /** What is on the screen, without colours and trailing blanks. */
  screen(): Promise<string>;
  /** The same with escape sequences for colours. */
  painted(): Promise<string>;
  /** Presses keys, named as tmux names them: `Enter`, `Tab`, `C-c`, `q`. */
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Waits until the screen shows what is wanted. @throws with the screen when it does not */
  shows(wanted: string | RegExp): Promise<string>;
  /** Everything that programs write from now on goes to a file, too. */
  record(file: string): Promise<void>;
  /** Whether a program has the other screen, and whether the cursor shows. */
  modes(): Promise<{ readonly isAlternate: boolean; readonly hasCursor: boolean }>;
  /** Ids of the processes that the shell started, theirs included. */
  processes(): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Opens a terminal with a shell in it, as small or large as asked. */
export async function openTerminal(
  cwd: string,
  env: Readonly<Record<string, string>>,
  { columns = 80, rows = 24 }: { readonly columns?: number; readonly rows?: number } = {},
): Promise<Terminal> {
  count += 1;
  const server = ['-L', `ralph-test-${process.pid}-${count}`];
  // In an environment of its own: what a shell of the tests finds must not depend on who runs them.
  const tmux = (...args: readonly string[]) => run('tmux', [...server, ...args], { cwd, env });
  const size = ['-x', String(columns), '-y', String(rows)];
  // What programs find in TERM is tmux's to say, and only before there is a window.
  const term = ['set-option', '-g', 'default-terminal', env['TERM'] ?? 'xterm-256color'];
  await tmux('-f', '/dev/null', 'start-server', ';', ...term, ';', 'new-session', '-d', ...size, '-s', 'one', 'sh');
  await tmux('set-option', '-g', 'status', 'off');
  await tmux('resize-window', '-t', 'one', '-x', String(columns), '-y', String(rows));

  const capture = async (...more: readonly string[]) => {
    const { stdout } = await tmux('capture-pane', '-p', '-t', 'one', ...more);
    return stdout;
  };
  const screen = async () => (await capture()).replace(/ +$/gm, '');
  const about = async (format: string) => (await tmux('display-message', '-p', '-t', 'one', format)).stdout.trim();
  return {
    screen,
    async modes() {
      const [alternate, cursor] = (await about('#{alternate_on} #{cursor_flag}')).split(' ');
      return { isAlternate: alternate === '1', hasCursor: cursor === '1' };
    },
    async processes() {
      const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
      const pairs = stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/ +/).map(Number));
      const childrenOf = (pid: number): readonly number[] =>
        pairs.filter(([, parent]) => parent === pid).flatMap(([child = 0]) => [child, ...childrenOf(child)]);
      return childrenOf(Number(await about('#{pane_pid}')));
    },
    painted: () => capture('-e'),
    press: async (...keys) => {
      // One after the other, as a person presses them.
      for (const key of keys) await tmux('send-keys', '-t', 'one', key);
    },
    type: async (text) => void (await tmux('send-keys', '-t', 'one', '-l', text)),
    resize: async (x, y) => void (await tmux('resize-window', '-t', 'one', '-x', String(x), '-y', String(y))),
    record: async (file) => void (await tmux('pipe-pane', '-o', '-t', 'one', `cat > '${file}'`)),
    async shows(wanted) {
      let last = '';
      const found = async () => {
        last = await screen();
        return typeof wanted === 'string' ? last.includes(wanted) : wanted.test(last);
      };
      await until(found).catch(() => {
        throw new Error(`the screen never showed ${wanted}; it shows:\n${last}`);
      });
      return last;
    },
    // The folder of the test may be gone by now.
    close: async () => void (await run('tmux', [...server, 'kill-server'], { cwd: '/', env }).catch(() => undefined)),
  };
}
