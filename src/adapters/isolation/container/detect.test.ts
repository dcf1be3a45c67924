import { expect, test } from 'vitest';
import { fixEngine } from './detect.ts';
import { dockerFacts, podmanFacts, refuseAddress } from './facts.ts';

const DOCKER = { ServerVersion: '28.2.2', OperatingSystem: 'Debian GNU/Linux 13', MemoryLimit: true, PidsLimit: true };

test('Podman tells its version, whether it is rootless, and which control groups it has', () => {
  const info = {
    host: {
      cgroupControllers: ['memory', 'pids'],
      serviceIsRemote: false,
      security: { rootless: true, seccompEnabled: true, seccompProfilePath: '/usr/share/seccomp.json' },
    },
    plugins: { log: ['journald', 'none', 'passthrough'] },
    version: { Version: '5.4.0' },
  };
  expect(podmanFacts(JSON.stringify(info))).toEqual({
    version: '5.4.0',
    rootless: true,
    remapsUsers: false,
    piped: ['--log-driver', 'passthrough'],
    seccompProfile: '/usr/share/seccomp.json',
    limits: { memory: true, processes: true, cpus: false },
    refusal: null,
  });
});

test('Podman without control groups of its own, as with those of version 1, holds no limits', () => {
  const info = { host: { cgroupControllers: null }, version: { Version: '4.3.1' } };
  expect(podmanFacts(JSON.stringify(info)).limits).toEqual({ memory: false, processes: false, cpus: false });
});

test('an older Podman does not hand pipes on itself', () => {
  expect(podmanFacts('{}').piped).toEqual(['--log-driver', 'none']);
});

test('a Podman whose containers are in a virtual machine is refused', () => {
  expect(podmanFacts(JSON.stringify({ host: { serviceIsRemote: true } })).refusal).toContain('another machine');
});

test.each([
  [DOCKER, { rootless: false, remapsUsers: false, refusal: null }],
  [{ ...DOCKER, SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] }, { rootless: true }],
  [{ ...DOCKER, SecurityOptions: ['name=userns'] }, { remapsUsers: true }],
  [{ ...DOCKER, OperatingSystem: 'Docker Desktop' }, { refusal: expect.stringContaining('virtual machine') }],
  [{ ServerErrors: ['Cannot connect to the Docker daemon'] }, { refusal: 'Cannot connect to the Docker daemon' }],
  [{ ServerVersion: '' }, { refusal: 'its daemon does not answer' }],
  [{ host: {}, version: {} }, { refusal: 'it is Podman under another name' }],
])('Docker that answers %j', (info, expected) => {
  expect(dockerFacts(JSON.stringify(info))).toMatchObject(expected);
});

test('only a daemon behind a socket of this machine can mount its files', () => {
  expect(refuseAddress('')).toBeNull();
  expect(refuseAddress('unix:///run/user/1000/docker.sock')).toBeNull();
  expect(refuseAddress('tcp://10.0.0.7:2376')).toContain('tcp://10.0.0.7:2376');
  expect(refuseAddress('ssh://una@build')).toContain('another machine');
});

test.each([
  ['podman: Error: exec: "newuidmap": executable file not found in $PATH', 'usermod --add-subuids'],
  ['docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', 'systemctl start docker'],
  ['docker: permission denied while trying to connect to the Docker daemon socket', 'rootless Docker'],
  ['docker: its daemon is at tcp://10.0.0.7:2376: another machine', 'unset DOCKER_HOST'],
])('%s', (reason, way) => {
  expect(fixEngine([reason])).toEqual([expect.stringContaining(way)]);
});

test('for an engine that is not installed, there is nothing to fix', () => {
  expect(fixEngine(['podman: not installed', 'docker: not installed'])).toEqual([]);
});
