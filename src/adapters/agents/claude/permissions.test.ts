import { afterEach, describe, expect, it, vi } from 'vitest';
import { testConfig } from '../../../../test/support/agent-task.ts';
import { detectClaude } from './detect.ts';
import { rootRefusal, sandboxVariable } from './permissions.ts';

const root = () => vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(0);
afterEach(() => vi.restoreAllMocks());

describe('bypass as root', () => {
  it('is refused without an isolation, and says that one would do', () => {
    root();
    expect(rootRefusal(testConfig(), {}, 'none')?.mend?.join()).toContain('ralph sandbox status');
  });

  it.each(['sbx', 'container', 'bwrap', 'srt'] as const)(
    'is no question in %s, which the client is told of',
    (name) => {
      root();
      expect(rootRefusal(testConfig(), {}, name)).toBeNull();
      expect(sandboxVariable(name)).toEqual({ IS_SANDBOX: '1' });
    },
  );

  it('is never called a sandbox by us where nothing isolates', () => {
    expect(sandboxVariable('none')).toEqual({});
  });

  it('decides whether the client can be used', async () => {
    root();
    const defaults = testConfig();
    // Node answers --version much as the client does.
    const config = testConfig({ claude: { ...defaults.claude, command: process.execPath } });
    expect(await detectClaude(config, {})).toMatchObject({ ok: false });
    expect(await detectClaude(config, {}, 'bwrap')).toMatchObject({ ok: true });
  });
});
