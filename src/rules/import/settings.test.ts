/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of a shell, which nobody expands */
import { describe, expect, it } from 'vitest';
import { flatten, migrateSettings, readAssignments, readToml, settingsOf } from './read-settings.ts';
import { MIGRATED_SETTINGS } from './settings-table.ts';

describe('settings of a shell file', () => {
  it('are read as text: quotes, defaults, comments, export', () => {
    const { values } = readAssignments(
      [
        'MAX_CALLS_PER_HOUR=50 # per hour',
        'export AGENT="codex"',
        "MODEL='opus'",
        'PROJECT_NAME="${PROJECT_NAME:-my-project}"',
        '# MAX_ITERATIONS=3',
      ].join('\n'),
    );
    expect(values).toEqual({ MAX_CALLS_PER_HOUR: '50', AGENT: 'codex', MODEL: 'opus', PROJECT_NAME: 'my-project' });
  });

  it('are never worked out', () => {
    const { values, unread } = readAssignments(
      'A=$(touch /tmp/x)\nB="`id`"\nC="$HOME/x"\nD=${E:-$(id)}\nF=1; rm -rf /\n',
    );
    expect(values).toEqual({});
    expect(unread).toEqual(['line 1: A', 'line 2: B', 'line 3: C', 'line 4: D', 'line 5: F']);
  });
});

describe('settings of other loops', () => {
  it('become ours, converted', () => {
    const moves = migrateSettings({
      MAX_CALLS_PER_HOUR: '50',
      CLAUDE_TIMEOUT_MINUTES: '20',
      CB_COOLDOWN_MINUTES: '0',
      AGENT_CMD: '/usr/bin/codex exec --yolo -',
      TEST_CMD: 'npm test',
      LINT_CMD: 'npm run lint',
      SESSION_CONTINUITY: 'true',
      EDITOR: 'vi',
    });
    expect(settingsOf(moves)).toEqual({
      calls: 50,
      timeout: '20m',
      agent: 'codex',
      verifyCommands: ['npm test', 'npm run lint'],
    });
    expect(moves.filter(({ to }) => to === null).map(({ from }) => from)).toEqual([
      'CB_COOLDOWN_MINUTES',
      'SESSION_CONTINUITY',
    ]);
  });

  it('are found in tables of TOML and in nested YAML', () => {
    expect(readToml('maxIterations = 12 # n\n[agentOptions]\nmodel = "opus"\n[[agents]]\nname = "x"\n')).toEqual({
      maxIterations: 12,
      'agentOptions.model': 'opus',
    });
    expect(
      settingsOf(migrateSettings(flatten({ event_loop: { max_iterations: 3, max_runtime_seconds: 90 } }))),
    ).toEqual({
      maxIterations: 3,
      maxDuration: '90s',
    });
  });

  it('are each in the table once', () => {
    const names = MIGRATED_SETTINGS.map((row) => `${row.in} ${row.from}`);
    expect(new Set(names).size).toBe(names.length);
    for (const row of MIGRATED_SETTINGS) expect(row.to === null, row.from).toBe(row.convert === undefined);
  });
});
