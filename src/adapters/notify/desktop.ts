import { release } from 'node:os';
import type { NotifyWhen, RalphEvent } from '../../contracts/index.ts';
import { findProgram, runCommand } from '../../platform/index.ts';
import { budgetText } from '../../rules/safeguards/index.ts';
import { shortLine } from '../../rules/text/index.ts';

const PATIENCE_MS = 5_000;

/** A program that shows a notice. Texts are separate arguments or variables, never part of a script. */
interface NoticeProgram {
  readonly file: string;
  readonly args: (notice: Notice) => readonly string[];
  readonly env?: (notice: Notice) => Readonly<Record<string, string>>;
}

const NOTIFY_SEND: NoticeProgram = {
  file: 'notify-send',
  // Some desktops read the text as markup.
  args: ({ title, text }) => ['--app-name=ralph', '--', title, text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '')],
};
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const OSASCRIPT: NoticeProgram = {
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

const POWERSHELL: NoticeProgram = {
  file: 'powershell.exe',
  args: () => ['-NoProfile', '-NonInteractive', '-Command', TOAST],
  env: ({ title, text }) => ({
    RALPH_NOTICE_TITLE: title,
    RALPH_NOTICE_TEXT: text,
    // Under WSL only the variables that this names are passed to Windows.
    WSLENV: 'RALPH_NOTICE_TITLE:RALPH_NOTICE_TEXT',
  }),
};

const NOTICE_PROGRAMS: Readonly<Record<string, NoticeProgram>> = {
  linux: NOTIFY_SEND,
  darwin: OSASCRIPT,
  win32: POWERSHELL,
};

interface Machine {
  readonly system: string;
  /** `uname -r`; WSL says `microsoft` in it. */
  readonly kernel: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function thisMachine(env: Machine['env']): Machine {
  return { system: process.platform, kernel: release(), env };
}

/** Why no notice can be shown on this desktop, as far as the programs show; null when one may be. */
export function desktopProblem(machine: Machine): string | null {
  const shower = noticeProgramOf(machine);
  if (shower === undefined) return 'no known program does this here';
  return findProgram(shower.file, machine.env['PATH']) === null ? `${shower.file} is not installed` : null;
}

/** Shows a notice on the desktop. @returns why it could not be shown; null when it was. Never rejects. */
export async function showOnDesktop(notice: Notice, machine: Machine): Promise<string | null> {
  const { env } = machine;
  const shower = noticeProgramOf(machine);
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

function noticeProgramOf({ system, kernel }: Machine): NoticeProgram | undefined {
  return /microsoft/i.test(kernel) ? POWERSHELL : NOTICE_PROGRAMS[system];
}

/** A notice for a person who is not watching. Safe lines: parts of them come from an agent. */
interface Notice {
  readonly title: string;
  readonly text: string;
}

/** The notice for an event, for a user who wants to be notified `when`; null when there is none. Pure. */
export function noticeFor(event: RalphEvent, when: NotifyWhen, project: string): Notice | null {
  if (when === 'never') return null;
  const found = event.type === 'run-end' ? ended(event.reason, event.summary) : when === 'end' ? null : calls(event);
  if (found === null) return null;
  const [what, text] = found;
  return { title: shortLine(`ralph ${what} · ${project}`, 80), text: shortLine(text, 200) };
}

type Words = readonly [what: string, text: string];

function ended(reason: string, summary: string): Words {
  return [reason === 'complete' ? 'is done' : 'has ended', `${reason}: ${summary}`];
}

/** Anything that blocks the run, or a story, until a person acts. */
function calls(event: RalphEvent): Words | null {
  switch (event.type) {
    case 'wait':
      return event.until === null || event.why === 'approval' ? ['waits for you', event.text] : null;
    case 'question':
      return ['asks', `${event.question} on ${event.story}: ${event.text}`];
    case 'circuit':
      return event.to === 'open' ? ['is not getting anywhere', `the circuit breaker is open: ${event.reason}`] : null;
    case 'budget':
      return ['has used up a budget', budgetText(event.overrun, event.story)];
    default:
      return null;
  }
}
