import { describe, expect, it } from 'vitest';
import { testConfig, testTask } from '../../../../test/support/agent-task.ts';
import type { IsolationName } from '../../isolation/port.ts';
import { bashSandboxSettings } from './bash-sandbox.ts';

function settings(bashSandbox: boolean, isolation: IsolationName = 'none', hosts: readonly string[] = []) {
  const defaults = testConfig();
  const config = testConfig({
    claude: { ...defaults.claude, bashSandbox },
    isolation: { ...defaults.isolation, allowHosts: hosts, registries: hosts.length === 0 },
  });
  return bashSandboxSettings(testTask({ cwd: '/project', tempDir: '/tmp/t', config, isolation }));
}

describe("the client's own sandbox", () => {
  it('is used only where the person asked for it, and nothing else isolates', () => {
    expect(settings(true)).not.toBeNull();
    for (const off of [settings(false), settings(true, 'bwrap')]) expect(off).toBeNull();
  });

  it('is strict: no start without it, no way around it', () => {
    expect(settings(true)).toMatchObject({
      sandbox: { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false },
    });
  });

  it('reaches the package registries and the hosts that the configuration names', () => {
    const domains = (from: object | null) =>
      (from as { sandbox: { network: { allowedDomains: string[] } } }).sandbox.network.allowedDomains;
    expect(domains(settings(true))).toContain('registry.npmjs.org');
    expect(domains(settings(true, 'none', ['api.example.com']))).toEqual(['api.example.com']);
  });
});
