import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  EMPTY_SETTINGS,
  hasAnyHooks,
  hasHooks,
  hookCommand,
  hookGroups,
  settingsFaults,
  withHooks,
  withoutHooks,
  withoutStringForms,
} from './settings.ts';

const GROUPS = hookGroups(hookCommand('/usr/bin/node', "/opt/it's/hook.cjs"), 'open');

const OTHERS = `{
\t"model": "opus",   "env": {"A": "1"},
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{ "matcher": "Bash", "hooks": [ {"type": "command", "command": "mine.sh"} ] }
\t\t]
\t}
}
`;

describe('installing', () => {
  test('adds one entry per event and matcher', () => {
    const settings = JSON.parse(withHooks(EMPTY_SETTINGS, GROUPS));
    expect(Object.keys(settings.hooks).sort()).toEqual(Object.keys(GROUPS).sort());
    expect(settings.hooks.PreToolUse[0]).toEqual({
      matcher: 'Bash',
      hooks: [{ type: 'command', command: "'/usr/bin/node' '/opt/it'\\''s/hook.cjs' ralph-hooks", timeout: 10 }],
    });
    expect(hasHooks(JSON.stringify(settings), GROUPS)).toBe(true);
  });

  test('leaves other entries, and how they are written', () => {
    const text = withHooks(OTHERS, GROUPS);
    expect(text).toContain('"model": "opus",   "env": {"A": "1"},');
    expect(text).toContain('{ "matcher": "Bash", "hooks": [ {"type": "command", "command": "mine.sh"} ] }');
    expect(text).toContain('\n\t\t"PostToolUse"');
    expect(JSON.parse(text).hooks.PreToolUse).toHaveLength(3);
  });

  test('twice is once', () => {
    const once = withHooks(OTHERS, GROUPS);
    expect(withHooks(once, GROUPS)).toBe(once);
  });

  test('entries of another installation are replaced', () => {
    const old = withHooks(OTHERS, hookGroups(hookCommand('/old/node', '/old/hook.cjs'), 'open'));
    expect(hasHooks(old, GROUPS)).toBe(false);
    const text = withHooks(old, GROUPS);
    expect(text).not.toContain('/old/');
    expect(hasHooks(text, GROUPS)).toBe(true);
  });
});

describe('taking out', () => {
  test.each([OTHERS, '{}\n', '{\r\n  "a": 1\r\n}\r\n', '{"hooks":{"Stop":[{"hooks":[]},{"hooks":[]}]},"b":[1,2]}'])(
    '%j comes back byte for byte',
    (text) => {
      expect(withoutHooks(withHooks(text, GROUPS))).toBe(text);
    },
  );

  test('leaves a file without our entries byte for byte', () => {
    expect(withoutHooks(OTHERS)).toBe(OTHERS);
    expect(hasAnyHooks(OTHERS)).toBe(false);
  });

  test('another hook that was put into one of our entries stays', () => {
    const settings = JSON.parse(withHooks(EMPTY_SETTINGS, GROUPS));
    settings.hooks.Stop[0].hooks.push({ type: 'command', command: 'mine.sh' });
    expect(JSON.parse(withoutHooks(JSON.stringify(settings)))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine.sh' }] }] },
    });
  });
});

describe('entries that keep the client from reading any hook', () => {
  const STRINGS = '{"hooks": {\n"Stop": "a.sh",\n"PreToolUse": ["b.sh",\n {"matcher": "Bash", "hooks": ["c.sh"]}]}}';

  test('string forms are found with their lines, and fixed', () => {
    expect(settingsFaults(STRINGS).map(({ line }) => line)).toEqual([2, 3, 4]);
    const fixed = withoutStringForms(STRINGS);
    expect(settingsFaults(fixed)).toEqual([]);
    expect(JSON.parse(fixed).hooks).toEqual({
      Stop: [{ hooks: [{ type: 'command', command: 'a.sh' }] }],
      PreToolUse: [
        { hooks: [{ type: 'command', command: 'b.sh' }] },
        { matcher: 'Bash', hooks: [{ type: 'command', command: 'c.sh' }] },
      ],
    });
  });

  test.each([
    '{"hooks": []}',
    '{"hooks": {"Stop": {}}}',
    '{"hooks": {"Stop": [{"command": "x"}]}}',
    '{"hooks": {"Stop": [{"hooks": [{}]}]}}',
  ])('%s is found, and left to a person', (text) => {
    expect(settingsFaults(text)).toMatchObject([{ line: 1, repair: null }]);
    expect(withoutStringForms(text)).toBe(text);
  });

  test('sound settings have none', () => {
    expect(settingsFaults(withHooks(OTHERS, GROUPS))).toEqual([]);
    expect(settingsFaults('{}')).toEqual([]);
  });
});

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));

test('the plugin has the entries of the table, with a guard that cannot be left out', () => {
  // The client fills in the folder; written so that it is not a template of ralph.
  const folder = ['$', '{CLAUDE_PLUGIN_ROOT}'].join('');
  expect(read('plugin/hooks/hooks.json').hooks).toEqual(hookGroups(`node "${folder}/hook.cjs"`, 'strict'));
});

test('the plugin is of the version of the package', () => {
  const { version } = read('package.json');
  expect(read('plugin/.claude-plugin/plugin.json').version).toBe(version);
  expect(read('.claude-plugin/marketplace.json').plugins[0].version).toBe(version);
});
