import { release } from 'node:os';
import { findProgram } from '../../platform/process/find-program.ts';
import { runCommand } from '../../platform/process/run-command.ts';
import type { Notice } from './attention.ts';

const PATIENCE_MS = 5_000;

/** A program that shows a notice. Texts are arguments or variables of their own, never part of a script. */
interface Shower {
  readonly file: string;
  readonly args: (notice: Notice) => readonly string[];
  readonly env?: (notice: Notice) => Readonly<Record<string, string>>;
}

const NOTIFY_SEND: Shower = {
  file: 'notify-send',
  // Some desktops read the text as markup.
  args: ({ title, text }) => ['--app-name=ralph', '--', title, text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '')],
};
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const OSASCRIPT: Shower = {
  file: 'osascript',
  args: ({ title, text }) => [
    ...['-e', 'on run argv'],
    ...['-e', 'display notification (item 2 of argv) with title (item 1 of argv)'],
    ...['-e', 'end run'],
    title,
    text,
  ],
};

const TOAST = [
  '$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]',
  '$toast = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent(1)',
  '$lines = $toast.GetElementsByTagName("text")',
  '$null = $lines.Item(0).AppendChild($toast.CreateTextNode($env:RALPH_NOTICE_TITLE))',
  '$null = $lines.Item(1).AppendChild($toast.CreateTextNode($env:RALPH_NOTICE_TEXT))',
  '$app = "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe"',
  '[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show($toast)',
].join('; ');

const POWERSHELL: Shower = {
  file: 'powershell.exe',
  args: () => ['-NoProfile', '-NonInteractive', '-Command', TOAST],
  env: ({ title, text }) => ({
    RALPH_NOTICE_TITLE: title,
    RALPH_NOTICE_TEXT: text,
    // Under WSL only what this names crosses over to Windows.
    WSLENV: 'RALPH_NOTICE_TITLE:RALPH_NOTICE_TEXT',
  }),
};

const SHOWERS: Readonly<Record<string, Shower>> = { linux: NOTIFY_SEND, darwin: OSASCRIPT, win32: POWERSHELL };

export interface Machine {
  /** `process.platform`. */
  readonly system: string;
  /** `uname -r`; WSL says `microsoft` in it. */
  readonly kernel: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** This machine, as notices see it. */
export function thisMachine(env: Machine['env']): Machine {
  return { system: process.platform, kernel: release(), env };
}

/** Why no notice can be shown on this desktop, as far as the programs tell; null when one may be. */
export function desktopProblem(machine: Machine): string | null {
  const shower = showerOf(machine);
  if (shower === undefined) return 'no program is known that does it here';
  return findProgram(shower.file, machine.env['PATH']) === null ? `${shower.file} is not installed` : null;
}

/** Shows a notice on the desktop. @returns why it could not be shown; null when it was. Never rejects. */
export async function showOnDesktop(notice: Notice, machine: Machine): Promise<string | null> {
  const { env } = machine;
  const shower = showerOf(machine);
  const file = shower?.file ?? '';
  const program = findProgram(file, env['PATH']);
  if (shower === undefined || program === null) return desktopProblem(machine);
  try {
    const { exitCode, timedOut } = await runCommand(program, shower.args(notice), {
      cwd: '/',
      env: { ...env, ...shower.env?.(notice) },
      timeoutMs: PATIENCE_MS,
      maxBytes: 4_096,
    });
    if (timedOut) return `${file} did not end`;
    return exitCode === 0 ? null : `${file} ended with ${exitCode}: there may be no desktop`;
  } catch {
    return `${file} cannot be started`;
  }
}

function showerOf({ system, kernel }: Machine): Shower | undefined {
  return /microsoft/i.test(kernel) ? POWERSHELL : SHOWERS[system];
}
