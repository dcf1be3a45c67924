import { chmod, readFile, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { RalphEvent } from '../../contracts/index.ts';
import { makeTempDir, remove } from '../../platform/index.ts';
import { noticeFor, showOnDesktop } from './desktop.ts';

/** A program of this name that writes down its arguments and variables. */
async function program(name: string, code = 0) {
  const folder = await makeTempDir('ralph-desktop-');
  onTestFinished(() => remove(folder));
  const script = `#!/bin/sh\nfor one in "$@"; do printf '%s\\n' "$one"; done > "${folder}/args"\nenv > "${folder}/env"\nexit ${code}\n`;
  await writeFile(`${folder}/${name}`, script);
  await chmod(`${folder}/${name}`, 0o755);
  return {
    env: { PATH: `${folder}:${process.env['PATH']}` },
    args: async () => (await readFile(`${folder}/args`, 'utf8')).trimEnd().split('\n'),
    variables: async () => (await readFile(`${folder}/env`, 'utf8')).split('\n'),
  };
}

const asked: RalphEvent = {
  ts: '2026-01-01T10:00:00.000Z',
  run: 'r1',
  iteration: 1,
  type: 'question',
  question: 'Q1',
  story: '--help',
  text: '"; rm -rf ~ <b>$(id)</b>\u001b]0;x\u0007\nnext',
};
const notice = () => {
  const found = noticeFor(asked, 'attention', '/project');
  if (found === null) throw new Error('a question calls for attention');
  return found;
};

test('what an agent wrote is one safe line', () => {
  expect(notice()).toEqual({
    title: 'ralph asks · /project',
    text: 'Q1 on --help: "; rm -rf ~ <b>$(id)</b> next',
  });
  expect(noticeFor(asked, 'end', 'x')).toBeNull();
  expect(noticeFor(asked, 'never', 'x')).toBeNull();
});

test('on Linux texts are arguments behind the options, and no markup', async () => {
  const { env, args } = await program('notify-send');
  expect(await showOnDesktop(notice(), { system: 'linux', kernel: '6.1', env })).toBeNull();
  expect(await args()).toEqual([
    '--app-name=ralph',
    '--',
    'ralph asks · /project',
    'Q1 on --help: "; rm -rf ~ &lt;b&gt;$(id)&lt;/b&gt; next',
  ]);
});

test('on macOS the script has no text in it', async () => {
  const { env, args } = await program('osascript');
  expect(await showOnDesktop(notice(), { system: 'darwin', kernel: '25.0', env })).toBeNull();
  expect((await args()).slice(-2)).toEqual(['ralph asks · /project', notice().text]);
});

test('under WSL it is Windows that shows it, told by variables', async () => {
  const { env, args, variables } = await program('powershell.exe');
  const machine = { system: 'linux', kernel: '5.15-microsoft-standard-WSL2', env };
  expect(await showOnDesktop(notice(), machine)).toBeNull();
  expect((await args()).join(' ')).not.toContain('rm -rf');
  expect(await variables()).toContain(`RALPH_NOTICE_TEXT=${notice().text}`);
});

test('what does not work says why', async () => {
  const { env } = await program('notify-send', 1);
  expect(await showOnDesktop(notice(), { system: 'linux', kernel: '6.1', env })).toBe(
    'notify-send ended with 1: there may be no desktop',
  );
  expect(await showOnDesktop(notice(), { system: 'linux', kernel: '6.1', env: { PATH: '/nowhere' } })).toBe(
    'notify-send is not installed',
  );
  expect(await showOnDesktop(notice(), { system: 'plan9', kernel: '4', env })).toContain('no known program');
});
