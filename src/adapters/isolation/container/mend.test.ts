import { expect, test } from 'vitest';
import { mendEngine } from './mend.ts';

test.each([
  ['podman: Error: exec: "newuidmap": executable file not found in $PATH', 'usermod --add-subuids'],
  ['docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', 'systemctl start docker'],
  ['docker: permission denied while trying to connect to the Docker daemon socket', 'rootless Docker'],
  ['docker: its daemon is at tcp://10.0.0.7:2376: another machine', 'unset DOCKER_HOST'],
])('%s', (reason, way) => {
  expect(mendEngine([reason])).toEqual([expect.stringContaining(way)]);
});

test('for an engine that is not installed, there is nothing to mend', () => {
  expect(mendEngine(['podman: not installed', 'docker: not installed'])).toEqual([]);
});
