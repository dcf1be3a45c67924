import { expect, test } from 'vitest';
import { joinScope } from './scope.ts';

const POLICY = {
  ...{ hosts: [], localPorts: [], read: [], write: [] },
  ...{ memoryBytes: 4096, processes: 10, cpus: 1.5 },
};

test("the user's systemd is reached by its own address, which what runs in the scope does not get", () => {
  const env = { XDG_RUNTIME_DIR: '/run/user/1000', HOME: '/home/una' };
  const command = joinScope(POLICY, '/usr/bin/systemd-run', env).join(' ');
  expect(command).toBe(
    '/usr/bin/env XDG_RUNTIME_DIR=/run/user/1000 /usr/bin/systemd-run --user --scope --quiet --collect ' +
      '-p MemoryMax=4096 -p MemorySwapMax=0 -p TasksMax=10 -p CPUQuota=150% -- ' +
      '/usr/bin/env -u XDG_RUNTIME_DIR -u DBUS_SESSION_BUS_ADDRESS',
  );
});
